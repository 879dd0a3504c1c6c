import { createHash } from 'node:crypto';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf, isDay, lastSecond } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { didOf } from '../certificates/credential/did.ts';
import { signJwt, unixTime } from '../certificates/credential/sign.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { readRows, type Selection } from './rows.ts';

/**
 * Who had completed what at the end of a day, with what proves it, as NDJSON: a line that describes the file, the rows,
 * and a line with the hash of all bytes before it, signed with the tenant's key.
 */
export async function evidencePack(
  ctx: TenantContext,
  { AsOf, ...selection }: Selection & { AsOf?: string },
): Promise<AsyncGenerator<string>> {
  const now = tenantNow(ctx);
  const zone = await timeZoneOf(ctx);
  const today = dayOf(now, zone);
  const day = AsOf ?? today;
  if (!isDay(day) || day > today) throw invalid('AsOf', `Send AsOf as a day up to today, ${today}.`);
  const until = day === today ? now : lastSecond(day, zone);
  const rows = readRows(ctx, { ...selection, until });
  // Rejects an unknown person before the response begins.
  const first = await rows.next();
  await appendAudit(ctx, ctx.tenantId, {
    action: 'evidence.exported',
    targetId: ctx.tenantId,
    data: { AsOf: day },
  });
  const issuer = didOf(ctx, ctx.tenantId);
  return (async function* () {
    const digest = createHash('sha256');
    const line = (content: object) => {
      const text = `${JSON.stringify(content)}\n`;
      digest.update(text);
      return text;
    };
    yield line({
      ...{ Format: 'lectern-evidence/1', Issuer: issuer, TenantID: ctx.tenantId },
      ...{ AsOf: day, Until: until, TimeZone: zone, Filter: selection, CreatedAt: now },
    });
    let count = 0;
    for (let next = first; !next.done; next = await rows.next()) yield line({ Row: ++count, ...next.value });
    const sealed = { Rows: count, SHA256: digest.digest('hex') };
    const claims = { iss: issuer, jti: `urn:uuid:${newId(now)}`, sub: issuer, nbf: unixTime(now) };
    const signature = await signJwt(ctx, { ...sealed, AsOf: day }, claims, now);
    yield `${JSON.stringify({ ...sealed, Signature: signature })}\n`;
  })();
}
