import type { Receipt, Session } from './contract.ts';
import { webAddress } from './session.ts';

type Return = Pick<Session, 'ReturnURL'>;

/** Messages for a page that frames the player, if it is on the origin of the return URL. */
function tell({ ReturnURL }: Return, message: { lectern: 'result' | 'closed' } & Partial<Receipt>): void {
  const back = webAddress(ReturnURL);
  if (back && window.parent !== window) window.parent.postMessage(message, new URL(back).origin);
}

/** The page in the package of a dispatch passes results on to its LMS. */
export function reportResult(session: Return, receipt: Receipt): void {
  const { Completion, Success, Score, Progress } = receipt;
  tell(session, { lectern: 'result', Completion, Success, Score, Progress });
}

/**
 * The learner leaves. An LMS may answer the return URL with its sign-in page, because browsers send no `SameSite=Lax` cookies
 * when another site navigates a frame.
 */
export const reportExit = (session: Return): void => tell(session, { lectern: 'closed' });
