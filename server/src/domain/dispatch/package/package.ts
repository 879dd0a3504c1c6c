import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { manifests } from './manifests.ts';
import { closedPage, type PageInput, packagePage } from './page.ts';

/** A package to import into another LMS. Its bytes depend on the input only. */
export function writePackage({ id, ...input }: PageInput & { id: string }): Promise<Buffer> {
  const zip = new ZipFile();
  const files = {
    ...manifests[input.standard]({ id, title: input.title }),
    'index.html': packagePage(input),
    'closed.html': closedPage,
  };
  const options = { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true };
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name, options);
  zip.end();
  return buffer(zip.outputStream);
}
