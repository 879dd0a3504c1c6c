import type { Receipt, Session } from '../../src/modules/player/schemas.ts';
import type { Commits } from './commits.ts';
import type { Course } from './course.ts';
import { elements } from './elements.ts';
import { messages } from './messages.ts';
import { showEnd } from './pages.ts';
import { webAddress } from './session.ts';

/** A learner who wants to go waits no longer than this for the receipt; the journal has the rest. */
const patience = 5_000;

/** The content's last words, the last commit, and the way back. */
export async function leaveCourse(
  session: Session,
  course: Course,
  commits: Commits,
  summary: () => { receipt: Receipt; seconds: number },
): Promise<void> {
  elements.notice.hidden = true;
  elements.loading.hidden = false;
  elements.loadingText.textContent = messages.leaving;
  elements.bar.inert = true;
  elements.contents.inert = true;
  const final = await course.leave();
  if (final) commits.save({ ...final, Exit: true }, 0);
  const isSaved = await commits.settled(patience);
  const address = webAddress(session.ReturnURL);
  const outcome = isSaved
    ? 'saved'
    : commits.state === 'kept' || commits.state === 'saving'
      ? 'kept'
      : 'lost';
  if (address && outcome !== 'lost') return location.assign(address);
  const { receipt, seconds } = summary();
  elements.loading.hidden = true;
  showEnd(outcome, { title: session.CourseTitle, receipt, seconds, back: address });
}
