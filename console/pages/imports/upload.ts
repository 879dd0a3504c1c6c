import type { paths } from '../../../client/src/generated.ts';
import type { Api } from '../../api/api.tsx';
import { withQuery } from '../../parts/download.tsx';
import type { Import } from './sentence.ts';

type Query = NonNullable<paths['/import']['post']['parameters']['query']>;

/** A file with what is chosen for all of its rows. It can be planned again while the page is open. */
export type Upload = {
  file: File;
  query: Pick<Query, 'CourseID' | 'DurationID' | 'ExpiresAt' | 'IfExists' | 'IfEnrolled' | 'Columns' | 'Of'>;
};

/** Thrown for an archive that is not a workbook. */
export const unreadable = new Error('The workbook cannot be read.');

/** A workbook is read here, so that the service does not unpack archives of strangers. */
async function csvOf(file: File): Promise<Blob> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x50 || head[1] !== 0x4b) return file;
  const { csvOfSpreadsheet } = await import('./spreadsheet.ts');
  return csvOfSpreadsheet(file).catch(() => Promise.reject(unreadable));
}

/** Plans a file. Throws the problem document if the service rejects the whole file. */
export async function sendFile({ headers }: Api, { file, query }: Upload): Promise<Import> {
  const path = withQuery('/import', { Plan: 'true', Name: file.name, ...query });
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: await csvOf(file),
  });
  const body: unknown = await response.json();
  if (!response.ok) throw body;
  return body as Import;
}
