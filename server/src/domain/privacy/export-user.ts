import type { TenantContext } from '../../infra/context/context.ts';
import type { Person } from '../../infra/context/personal-data.ts';
import { audit } from '../audit/chain.ts';
import { userNotFound } from '../users/users.ts';
import { allPersonalData, findPerson } from './all-personal-data.ts';

/** Length of the chunks in which the document is sent. */
const partLength = 64 * 1024;

/**
 * One JSON document with all data held about a person. It is generated while the client reads it, and never held in
 * memory as a whole.
 */
export async function exportUser(
  ctx: TenantContext,
  input: { loginId: string },
): Promise<AsyncGenerator<string>> {
  const person = await findPerson(ctx, input.loginId, false);
  if (!person) throw userNotFound();
  await audit(ctx, 'user.exported', person.userId);
  return inParts(documentOf(ctx, person));
}

/** The beginning is sent separately, so that the client sees the response start. */
async function* inParts(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let part = '';
  let enough = 0;
  for await (const text of texts) {
    part += text;
    if (part.length < enough) continue;
    yield part;
    part = '';
    enough = partLength;
  }
  yield part;
}

async function* documentOf(ctx: TenantContext, person: Person): AsyncGenerator<string> {
  const head = { LoginID: person.loginId, ExportedAt: ctx.now() };
  yield JSON.stringify(head).slice(0, -1);
  for (const data of allPersonalData) {
    yield `,\n${JSON.stringify(data.name)}:[`;
    let separator = '\n';
    for await (const record of data.read(ctx, person)) {
      yield separator + JSON.stringify(record);
      separator = ',\n';
    }
    yield ']';
  }
  yield '}\n';
}
