import { Readable } from 'node:stream';
import type { TenantContext } from '../../platform/context.ts';
import type { Person } from '../../platform/personal-data.ts';
import { appendAudit } from '../audit/append.ts';
import { userNotFound } from '../users/users.ts';
import { findPerson, heldData } from './held.ts';

/** One JSON document with all that is held of a person, written while it is read: it is never whole in memory. */
export async function exportUser(ctx: TenantContext, input: { loginId: string }): Promise<Readable> {
  const person = await findPerson(ctx, input.loginId, false);
  if (!person) throw userNotFound();
  await appendAudit(ctx, ctx.tenantId, { action: 'user.exported', targetId: person.userId, data: {} });
  return Readable.from(documentOf(ctx, person), { objectMode: false });
}

async function* documentOf(ctx: TenantContext, person: Person): AsyncGenerator<string> {
  const head = { LoginID: person.loginId, ExportedAt: ctx.now() };
  yield JSON.stringify(head).slice(0, -1);
  for (const data of heldData) {
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
