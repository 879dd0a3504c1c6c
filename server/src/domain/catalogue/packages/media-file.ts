import { copyFile, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaFiles, mediaTree } from '../../../../../standards/media-tree.ts';
import { PackageRejection } from '../../../../../standards/rejection.ts';
import type { MediaStandard, PackageReport } from '../../../../../standards/types.ts';
import { titleOfPage } from '../../../../../standards/web.ts';
import type { Course, Warnings } from './identify-course.ts';
import { readHead } from './read-head.ts';
import { syncFolder } from './zip-extract.ts';

/** The content types of uploads that are a single file. */
export const mediaTypes: Readonly<Record<string, MediaStandard>> = {
  'application/pdf': 'document',
  'video/mp4': 'video',
  'audio/mpeg': 'audio',
  'text/html': 'page',
};

const isPdf = (head: Buffer) => head.subarray(0, 1024).includes('%PDF-');
const isMp4 = (head: Buffer) => head.toString('latin1', 4, 8) === 'ftyp';

/** An ID3 tag, or the header of an MPEG frame with a valid version, layer, bit rate and sample rate. */
function isMp3(head: Buffer): boolean {
  if (head.toString('latin1', 0, 3) === 'ID3') return true;
  const [first = 0, second = 0, third = 0] = head;
  const hasSync = first === 0xff && (second & 0xe0) === 0xe0;
  return hasSync && (second & 0x06) === 0x02 && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c;
}

/** The first visible character of a page is the beginning of a tag, and text has no null characters. */
export function isPage(head: Buffer): boolean {
  return !head.includes(0) && /^(\xef\xbb\xbf)?\s*<[!?a-z]/i.test(head.toString('latin1'));
}

const checks: Record<MediaStandard, { is: (head: Buffer) => boolean; name: string; begins: string }> = {
  document: { is: isPdf, name: 'a PDF', begins: 'a PDF begins with %PDF' },
  video: { is: isMp4, name: 'an MP4 video', begins: 'an MP4 file begins with an ftyp box' },
  audio: { is: isMp3, name: 'an MP3 file', begins: 'an MP3 file begins with ID3 or an MPEG frame' },
  page: { is: isPage, name: 'an HTML page', begins: 'a page begins with a tag such as <!doctype html>' },
};

/** Rejects a file that is not what its content type says. */
async function checkMediaFile(path: string, standard: MediaStandard): Promise<Buffer> {
  const { is, name, begins } = checks[standard];
  const head = await readHead(path);
  if (standard === 'video' && is(head) && !(await hasMovie(path)))
    throw new PackageRejection(
      'package_invalid',
      'The MP4 file has no moov box, so it cannot be played. It is probably incomplete: export or upload it again.',
    );
  if (is(head)) return head;
  const type = Object.keys(mediaTypes).find((key) => mediaTypes[key] === standard) ?? '';
  throw new PackageRejection(
    'package_invalid',
    `The file is not ${name}: ${begins}. Send ${name}, or the Content-Type of the file instead of ${type}.`,
  );
}

/** Describes the course in a folder that holds a single file, and perhaps its captions. */
export async function identifyMedia(
  folder: string,
  paths: readonly string[],
  { kind, title }: { kind: MediaStandard; title: string | null },
  { warn }: Warnings,
): Promise<Course> {
  const name = mediaFiles[kind];
  const head = await checkMediaFile(join(folder, name), kind);
  const Title = (kind === 'page' ? titleOfPage(head) : null) ?? title ?? 'Untitled course';
  if (kind === 'document' && !(await hasEnd(join(folder, name))))
    warn(name)('warning', 'The PDF seems to be incomplete: its end is missing, so pages may be missing too');
  return { Standard: kind, Title, Tree: mediaTree(kind, Title, paths) };
}

/** Whether one of the boxes of an MP4 file describes the movie (ISO/IEC 14496-12, 8.2.1). It can be the last one. */
async function hasMovie(path: string): Promise<boolean> {
  const { size } = await stat(path);
  const handle = await open(path, 'r');
  try {
    for (let at = 0; at + 8 <= size; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, at);
      if (bytesRead < 8) return false;
      if (buffer.toString('latin1', 4, 8) === 'moov') return true;
      const short = buffer.readUInt32BE(0);
      const length = short === 1 && bytesRead === 16 ? Number(buffer.readBigUInt64BE(8)) : short;
      // A length of 0 means that the box reaches to the end of the file.
      if (length < 8) return false;
      at += length;
    }
    return false;
  } finally {
    await handle.close();
  }
}

/** PDF readers look for the end mark in the last kilobyte. */
async function hasEnd(path: string): Promise<boolean> {
  const { size } = await stat(path);
  const handle = await open(path, 'r');
  try {
    const length = Math.min(size, 1024);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.includes('%%EOF');
  } finally {
    await handle.close();
  }
}

/** Imports a single file. The release's folder contains only this file, under a fixed name. */
export async function readMediaFile(
  { file, folder, kind, title }: { file: string; folder: string; kind: MediaStandard; title?: string },
  warnings: Warnings,
): Promise<Omit<PackageReport, 'Warnings'>> {
  await checkMediaFile(file, kind);
  await mkdir(folder);
  const path = join(folder, mediaFiles[kind]);
  await copyFile(file, path);
  const copy = await open(path, 'r+');
  await copy.sync().finally(() => copy.close());
  await syncFolder(folder);
  const course = await identifyMedia(folder, [mediaFiles[kind]], { kind, title: title ?? null }, warnings);
  return { ...course, Files: 1, Bytes: (await stat(file)).size };
}
