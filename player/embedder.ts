import type { Receipt, Session } from './contract.ts';
import { webAddress } from './session.ts';

/**
 * A page that frames the player gets the results, if it is on the origin of the return URL. The page in the package of a
 * dispatch is, and passes them on to its LMS.
 */
export function reportResult({ ReturnURL }: Pick<Session, 'ReturnURL'>, receipt: Receipt): void {
  const back = webAddress(ReturnURL);
  if (!back || window.parent === window) return;
  const { Completion, Success, Score, Progress } = receipt;
  window.parent.postMessage(
    { lectern: 'result', Completion, Success, Score, Progress },
    new URL(back).origin,
  );
}
