import type { Edition } from '../scorm/data-model/types.ts';
import { PackageRejection } from './rejection.ts';
import type { Standard } from './types.ts';
import type { Warn } from './warnings.ts';
import { attributeOf, childOf, textOf, type XmlElement } from './xml.ts';

const others: [RegExp, string][] = [
  [/common cartridge|imsccv1|imsthincc/i, 'Common Cartridge'],
  [/\bqti\b|imsqti/i, 'IMS QTI'],
  [/\blti\b|imslticc/i, 'an LTI link package'],
];

/**
 * The edition according to `schemaversion` or, if that is unusable, according to the namespaces. Without
 * either, a manifest with SCOs is taken to be SCORM 1.2.
 */
export function detectStandard(manifest: XmlElement, warn: Warn): Edition {
  const metadata = childOf(manifest, 'metadata');
  const schema = textOf(metadata, 'schema') ?? '';
  const version = textOf(metadata, 'schemaversion') ?? '';
  const namespaces = collectNamespaces(manifest).join(' ');
  const byNamespace = standardOfNamespaces(namespaces, manifest);
  const byVersion = standardOfVersion(version, byNamespace);
  const line = metadata?.line ?? manifest.line;
  if (byVersion) {
    if (byNamespace && (byVersion === 'scorm12') !== (byNamespace === 'scorm12')) {
      warn(
        'warning',
        `The schema version says ${version}, but the namespaces belong to ${nameOf(byNamespace)}. The course is played as ${nameOf(byVersion)}; if that is wrong, results may be missing`,
        line,
      );
    }
    return byVersion;
  }
  const other = others.find(([pattern]) => pattern.test(`${schema} ${namespaces}`));
  const scos = hasSco(manifest);
  if (other && !scos) throw unsupported(other[1]);
  if (!scos && !byNamespace) throw unsupported('An IMS Content Packaging manifest without SCORM content');
  const standard = byNamespace ?? 'scorm12';
  const problem = version
    ? `declares the unknown schema version "${version.slice(0, 60)}"`
    : 'declares no schema version';
  warn('note', `The manifest ${problem}, so the course is played as ${nameOf(standard)}`, line);
  return standard;
}

export function unsupported(what: string): PackageRejection {
  const detail = `${what} is not supported yet. Export the course as SCORM, cmi5 or xAPI and upload that package.`;
  return new PackageRejection('package_unsupported', detail);
}

export function nameOf(standard: Standard): string {
  const others: Partial<Record<Standard, string>> = {
    scorm12: 'SCORM 1.2',
    cmi5: 'cmi5',
    xapi: 'xAPI',
    aicc: 'AICC',
    web: 'a web page',
    document: 'a PDF',
    video: 'a video',
    audio: 'an audio file',
    page: 'an HTML page',
  };
  return others[standard] ?? `SCORM 2004 ${standard.slice(-3)} edition`;
}

function standardOfVersion(version: string, byNamespace: Edition | null): Edition | null {
  const text = version.toLowerCase();
  if (/4th|fourth/.test(text)) return 'scorm2004-4th';
  if (/3rd|third/.test(text)) return 'scorm2004-3rd';
  if (/2nd|second|cam ?1\.3|^1\.3/.test(text)) return 'scorm2004-2nd';
  if (/2004/.test(text)) return byNamespace && byNamespace !== 'scorm12' ? byNamespace : 'scorm2004-3rd';
  return /(^|\D)1\.2(\D|$)/.test(text) ? 'scorm12' : null;
}

/** The 2004 editions share their namespaces. Only the 4th has shared data and additional objectives. */
function standardOfNamespaces(namespaces: string, manifest: XmlElement): Edition | null {
  if (/adlcp_v1p3|adlseq_v1p3|adlnav_v1p3|imsss/.test(namespaces)) {
    return usesFourthEdition(manifest) ? 'scorm2004-4th' : 'scorm2004-3rd';
  }
  return /adlcp_rootv1p2/.test(namespaces) ? 'scorm12' : null;
}

function usesFourthEdition(element: XmlElement): boolean {
  if (element.namespace.includes('adlseq') && element.name === 'objectives') return true;
  if (element.name === 'completionThreshold' && attributeOf(element, 'minProgressMeasure')) return true;
  if (element.namespace.includes('adlcp') && element.name === 'data') return true;
  return element.children.some(usesFourthEdition);
}

function collectNamespaces(element: XmlElement): string[] {
  const found = new Set<string>();
  const visit = (node: XmlElement) => {
    found.add(node.namespace);
    for (const { namespace } of node.attributes) found.add(namespace);
    for (const child of node.children) visit(child);
  };
  visit(element);
  return [...found];
}

function hasSco(manifest: XmlElement): boolean {
  const resources = childOf(manifest, 'resources')?.children ?? [];
  return resources.some((resource) => attributeOf(resource, 'scormtype') !== null);
}
