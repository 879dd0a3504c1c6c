import { showCertificate } from './certificate.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Receipt, Session } from './contract.ts';
import type { Course, ExitKind } from './course.ts';
import { elements } from './elements.ts';
import { reportExit } from './embedder.ts';
import { messages } from './messages.ts';
import { hidePage, type Outcome, resultOf, showEnd, showPage } from './pages.ts';
import type { Stop } from './save-state.ts';
import { webAddress } from './session.ts';

/** How long a learner who is leaving waits for the receipt. Anything that is not sent by then stays in the journal. */
const timeoutMilliseconds = 5_000;
/** How long to wait if the browser reports no connection. This is not zero, because the browser may be wrong. */
const offlineMilliseconds = 500;

/** Closes the content, which may make its last calls, and sends the last commit. */
async function sendLast(
  course: Course,
  commits: Commits,
  how: ExitKind,
  more: Pick<Snapshot, 'Exit'>,
): Promise<Outcome> {
  elements.notice.hidden = true;
  // Otherwise, a page shown in place of the course would cover the message.
  hidePage();
  elements.loading.hidden = false;
  elements.loadingText.textContent = messages.leaving;
  elements.bar.inert = true;
  elements.contents.inert = true;
  const final = await course.leave(how);
  if (final) commits.save({ ...final, ...more }, 0);
  if (await commits.settled(navigator.onLine ? timeoutMilliseconds : offlineMilliseconds))
    return commits.stop && 'refused' in commits.stop ? 'lost' : course.refused?.() ? 'refused' : 'saved';
  return commits.state === 'unsaved' ? 'lost' : 'onDevice';
}

/** `timeUp` is the title of the unit whose time is up, if the learner must be informed. */
type Departure = {
  how: ExitKind;
  timeUp: string | null;
  summary: () => { receipt: Receipt; seconds: number };
};

/** Called when the learner leaves. Sends the last commit and goes to the return URL. */
export async function leaveCourse(
  session: Session,
  course: Course,
  commits: Commits,
  { how, timeUp, summary }: Departure,
): Promise<void> {
  const outcome = await sendLast(course, commits, how, { Exit: true });
  if (commits.stop && 'refused' in commits.stop) {
    showStop(session, commits.stop, outcome);
    return;
  }
  const address = webAddress(session.ReturnURL);
  const isIncomplete = outcome === 'lost' || outcome === 'refused';
  const go = () => {
    // Without a connection, the browser would show its own error page instead of the return URL.
    if (address && !isIncomplete && navigator.onLine) {
      reportExit(session);
      return location.assign(address);
    }
    const { receipt, seconds } = summary();
    elements.loading.hidden = true;
    const isPartly = commits.state === 'partly';
    const counts = session.Mode === 'normal';
    showEnd(outcome, { title: session.CourseTitle, receipt, seconds, back: address, isPartly, counts });
    const result = resultOf(receipt);
    if (counts && outcome === 'saved' && (result === 'passed' || result === 'completed'))
      void showCertificate(session.Session);
  };
  if (timeUp === null || isIncomplete) return go();
  const { title, left, leave } = messages.timeUp;
  elements.bar.hidden = true;
  showPage(title, left(timeUp), [{ text: leave, act: go }]);
}

/** Called when a session ends while its page is open. Saves, gives the reason, and offers the next step. */
export async function stopCourse(
  session: Session,
  course: Course,
  commits: Commits,
  why: Stop,
): Promise<void> {
  const outcome = await sendLast(course, commits, 'stop', {});
  showStop(session, commits.stop ?? why, outcome);
}

function showStop(session: Session, why: Stop, outcome: Outcome): void {
  elements.bar.hidden = true;
  elements.contents.hidden = true;
  elements.scrim.hidden = true;
  const back = webAddress(session.ReturnURL);
  const goBack = back ? [{ text: messages.back, act: () => location.assign(back), primary: false }] : [];
  if ('refused' in why) {
    showPage(messages.rejectedTitle, messages.rejections[why.refused], goBack);
    return;
  }
  const { title, text, action } = messages.ends[why.ended];
  const again = action ? [{ text: action, act: () => location.reload() }] : [];
  showPage(title, `${text} ${messages.lastSteps[outcome]}`, [...again, ...goBack]);
}
