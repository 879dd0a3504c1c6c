import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { readAuSession, setAuToken } from '../enrolments/au-sessions/sessions.ts';
import { writeRefusedReport } from '../enrolments/refused-reports.ts';
import { accessEnd } from '../enrolments/session-end.ts';
import { type AuHandle, newLrsToken } from './au-tokens.ts';

export type FetchedToken = { 'auth-token': string } | { 'error-code': '1' | '2'; 'error-text': string };

/**
 * Section 8.2: the fetch URL returns the token only once. Errors are ordinary responses with status
 * 200.
 */
export async function fetchToken(ctx: TenantContext, handle: AuHandle): Promise<FetchedToken> {
  const session = await readAuSession(ctx, handle);
  if (!session || accessEnd(session, tenantNow(ctx)) !== null)
    return { 'error-code': '2', 'error-text': 'The learner has no access to this course.' };
  const { token, hash } = newLrsToken(ctx, handle);
  if (await setAuToken(ctx, { ...handle, tokenHash: hash })) return { 'auth-token': token };
  const text =
    'The token has already been returned, or the session has ended. Open the page again from the course.';
  const { enrollId, launch, sessionId } = handle;
  await writeRefusedReport(ctx, {
    ...{ enrollId, launch, sessionId, unitId: session.unit_id, code: 'unauthorized', detail: text },
    ...{ call: 'POST /play/{token}/fetch', verbs: [] },
  });
  return { 'error-code': '1', 'error-text': text };
}
