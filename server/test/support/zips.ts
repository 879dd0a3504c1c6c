import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { PackageReport } from '../../../standards/types.ts';
import { readPackage } from '../../src/domain/catalogue/packages/read-package.ts';
import { Problem } from '../../src/lib/errors.ts';

export const limits = { bytes: 64 * 1_048_576, entries: 1_000, ratio: 1_000 };

export type Imported = { report: PackageReport | null; problem: Problem | null; names: string[] };

/** Imports the bytes into a new folder and returns what is left in it. */
export async function importBytes(bytes: Uint8Array, overrides = {}): Promise<Imported> {
  const base = await mkdtemp(join(tmpdir(), 'lectern-standards-'));
  const file = join(base, 'course.zip');
  await writeFile(file, bytes);
  try {
    const source = { file, folder: join(base, 'out'), limits: { ...limits, ...overrides } };
    const outcome = await readPackage(source).then(
      (report) => ({ report, problem: null }),
      (error: unknown) => {
        if (error instanceof Problem) return { report: null, problem: error };
        throw error;
      },
    );
    const names = await readdir(base, { recursive: true });
    return { ...outcome, names: names.filter((name) => name !== 'course.zip').sort() };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

export async function importedReport(bytes: Uint8Array, overrides = {}): Promise<PackageReport> {
  const { report, problem } = await importBytes(bytes, overrides);
  if (!report) throw problem ?? new Error('neither a report nor a problem was returned');
  return report;
}

export async function rejected(bytes: Uint8Array, overrides = {}): Promise<Problem> {
  const { problem, names } = await importBytes(bytes, overrides);
  if (!problem) throw new Error('the package was accepted');
  if (names.length > 0) throw new Error(`left behind: ${names.join(', ')}`);
  return problem;
}

export async function zipOf(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

export type RawEntry = {
  name: string | Buffer;
  localName?: string;
  data?: string | Buffer;
  method?: number;
  flags?: number;
  size?: number;
  checksum?: number;
  attributes?: number;
  offset?: number;
};

/** Writes a zip byte by byte, so that any header can be wrong. */
export function rawZip(entries: RawEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const local = Buffer.from(entry.localName ?? entry.name);
    const data = Buffer.from(entry.data ?? '');
    const method = entry.method ?? 8;
    const packed = method === 8 ? deflateRawSync(data) : data;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(entry.flags ?? 0x800, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(entry.checksum ?? crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(entry.size ?? data.length, 18);
    const localFields = Buffer.from(fields);
    localFields.writeUInt16LE(local.length, 22);
    const record = Buffer.concat([Buffer.from('PK\x03\x04'), localFields, local, packed]);
    fields.writeUInt16LE(name.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((entry.attributes ?? 0) >>> 0, 6);
    tail.writeUInt32LE(entry.offset ?? position, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), fields, tail, name);
    parts.push(record);
    position += record.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, central, end]);
}

/** Skips a test, with the reason, where real packages are not available. */
export async function realPackages(
  context: TestContext,
): Promise<{ folder: string; names: string[] } | null> {
  const folder = process.env.LECTERN_PACKAGES ?? join(import.meta.dirname, '../../../../shared/packages');
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0)
    context.skip(`no real packages in ${folder}; set LECTERN_PACKAGES to another folder`);
  return names.length === 0 ? null : { folder, names: names.filter((name) => name.endsWith('.zip')) };
}
