import { unsupported } from './edition.ts';
import { encodePath, type FileIndex } from './launch-path.ts';
import type { CourseTree } from './types.ts';
import { noDetails } from './unit-details.ts';

const startPages = ['index.html', 'index.htm', 'story.html', 'default.html', 'default.htm'];

/** Rejects a package that follows another standard. */
export function rejectOtherStandards(files: FileIndex): void {
  const has = (name: string) => files.find(name) !== null;
  if (has('h5p.json')) throw unsupported('H5P');
  if (has('META-INF/container.xml')) throw unsupported('EPUB');
}

/** The start page of a package without a manifest; null if it cannot be determined. */
export function startPage(paths: string[], files: FileIndex): string | null {
  for (const name of startPages) {
    const found = files.find(name);
    if (found !== null) return found;
  }
  const pages = paths.filter((path) => !path.includes('/') && /\.html?$/i.test(path));
  return pages.length === 1 ? (pages[0] ?? null) : null;
}

export function webTree(path: string, title: string): CourseTree {
  return addressTree(encodePath(path), title);
}

/** The tree of a course that consists of a single page, either in a package or hosted elsewhere. */
export function addressTree(Href: string, Title: string): CourseTree {
  const unit = { ...noDetails, UnitID: 'web', Title, Href, Kind: 'asset' as const };
  return {
    Units: [{ ...unit, Visible: true, Children: [] }],
    Sequencing: null,
    ObjectivesGlobalToSystem: false,
    SharedDataGlobalToSystem: false,
  };
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Reads `<title>` from the beginning of a page. */
export function titleOfPage(head: Uint8Array): string | null {
  const utf8 = new TextDecoder('utf-8').decode(head, { stream: true });
  const page = utf8.includes('\ufffd') ? new TextDecoder('windows-1252').decode(head) : utf8;
  const raw = /<title[^<>]*>([^<]*)<\/title/i.exec(page)?.[1] ?? '';
  const text = raw.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 31 && code < 0x110000 ? String.fromCodePoint(code).toWellFormed() : ' ';
  });
  return text.replace(/\s+/g, ' ').trim().slice(0, 500) || null;
}
