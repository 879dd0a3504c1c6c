import { createFileIndex } from '../../server/src/domain/catalogue/packages/file-index.ts';
import { readManifest } from '../../standards/manifest.ts';
import type { Script, Step } from '../../test/conformance/scorm2004/scripts.ts';
import { type Activity, type Course, prepareCourse } from '../sequencing/course.ts';
import type { NavigationRequest } from '../sequencing/requests.ts';
import * as sequencing from '../sequencing/session.ts';
import type { SequencingState } from '../sequencing/state.ts';
import { createContent } from './adl-content.ts';

type Visit = {
  course: Course;
  state: SequencingState;
  delivery: sequencing.Delivery | null;
  ended: boolean;
  /** The run-time data of each unit. */
  stored: Map<string, Record<string, string>>;
  refusal: string | null;
};

/** The data that a learner's courses share. */
export type Learner = Pick<SequencingState, 'globals' | 'buckets'>;

/** Plays a script without a browser, and returns the differences from its expectations. */
export function playScript(
  script: Script,
  manifests: { name: string; text: string }[],
  learner: Learner,
): string[] {
  const visits = new Map(manifests.map(({ name, text }) => [name, openCourse(text, learner)]));
  const [first] = visits.values();
  if (!first) return ['no package'];
  const differences: string[] = [];
  let visit = first;
  launch(visit);
  if (script.start !== '.') choose(visit, script.start);
  else if (!visit.delivery) chooseFirst(visit);
  for (const [index, step] of script.steps.entries()) {
    const at = `step ${index + 1}, activity ${step.activity}#${step.visit}`;
    const delivered = actOf(visit);
    if (delivered !== step.activity) {
      const why = visit.refusal ? ` (${visit.refusal})` : visit.ended ? ' (ended)' : '';
      differences.push(`${at}: ${delivered} was delivered${why}`);
      break;
    }
    differences.push(...askPage(visit, step).map((difference) => `${at}: ${difference}`));
    const { delivery, course, state, stored } = visit;
    if (!delivery) break;
    const data = sequencing.dataFor(course, state, delivery, stored.get(delivery.unitID));
    const buckets = sequencing.bucketsFor(course, state, delivery.unitID);
    const content = createContent(data, buckets, () => sequencing.predict(course, state, 0));
    // Skip the one call in the DMI scripts that could not be decoded.
    const calls = step.calls.filter(({ fn }) => fn !== '?');
    const differing = calls.map((call) => content.play(call)).filter((difference) => difference !== null);
    differences.push(...differing.map((difference) => `${at}: ${difference}`));
    const reported = content.end();
    stored.set(delivery.unitID, reported.data);
    const next = script.steps[index + 1]?.activity ?? null;
    const chooses = script.start !== '.' && !visits.has(script.start);
    visit = follow(visit, step, { unitID: delivery.unitID, ...reported }, { visits, learner, next, chooses });
    if (/^(HasEnded|AutoTest)/.test(step.then[0] ?? '') && !visit.ended)
      differences.push(`${at}: the session has not ended, ${actOf(visit)} is open`);
  }
  return differences;
}

function openCourse(manifest: string, learner: Learner): Visit {
  const { Tree, Title } = readManifest(
    Buffer.from(manifest),
    'imsmanifest.xml',
    createFileIndex([]),
    () => {},
  );
  const course = prepareCourse(Tree, Title ?? '');
  const state = sequencing.createState(course, { seed: 1, now: 0, ...learner });
  return { course, state, delivery: null, ended: false, stored: new Map(), refusal: null };
}

function take(visit: Visit, { state, answer, delivery }: sequencing.Result): void {
  visit.state = state;
  visit.delivery = delivery;
  visit.ended = answer.kind === 'ended';
  visit.refusal = answer.kind === 'refused' ? JSON.stringify(answer.refusal) : null;
}

function launch(visit: Visit): void {
  take(visit, sequencing.launch(visit.course, visit.state, 0));
}

/** Without flow, no activity starts automatically, so the page opens the first one that can be chosen. */
function chooseFirst(visit: Visit): void {
  const { contents } = sequencing.predict(visit.course, visit.state, 0);
  const first = contents.find(({ visible, allowed }) => visible && allowed);
  if (first)
    take(visit, sequencing.request(visit.course, visit.state, { kind: 'choice', target: first.id }, 0));
}

function targetOf({ course }: Visit, title: string): string {
  if (title.startsWith('the activity that corresponds to the root')) return course.root.id;
  return course.activities.find((activity) => activity.title.trim() === title)?.id ?? title;
}

function choose(visit: Visit, title: string): void {
  const navigation = { kind: 'choice', target: targetOf(visit, title) } as const;
  take(visit, sequencing.request(visit.course, visit.state, navigation, 0));
}

/** The activity's name in the scripts. It is part of the activity's URL. */
const nameOf = (activity: Activity | undefined) =>
  /act=([^&]*)/.exec(activity?.unit?.Href ?? '')?.[1] ?? null;

const actOf = ({ course, delivery }: Visit) => nameOf(course.byID.get(delivery?.unitID ?? ''));

/** Compares the page with the answers that the script expects. Returns the differences. */
function askPage(visit: Visit, { ui }: Step): string[] {
  if (ui.length === 0) return [];
  const { requests, hidden, contents } = sequencing.predict(visit.course, visit.state, 0);
  const offered = (kind: 'continue' | 'previous') => requests[kind].allowed && !hidden.includes(kind);
  const entryOf = (title: string) => contents.find(({ id }) => id === targetOf(visit, title));
  const answer = (question: string): boolean => {
    const [what = '', title = ''] = question.split('@');
    if (what === 'continue.enabled') return offered('continue');
    if (what === 'continue.disabled') return !offered('continue');
    if (what === 'previous.enabled') return offered('previous');
    if (what === 'previous.disabled') return !offered('previous');
    // If a course has only one activity, there is nothing to choose from the contents list.
    if (what === 'toc.enabled')
      return contents.length > 2 && contents.some(({ visible, allowed }) => visible && allowed);
    if (what === 'toc.visible') return entryOf(title)?.visible === true;
    const entry = entryOf(title);
    return entry?.visible === true && entry.allowed;
  };
  return ui
    .filter(({ q, expect }) => q !== 'click.button' && answer(q) !== (expect === 'Y'))
    .map(({ q, expect }) => {
      const entry = entryOf(q.split('@')[1] ?? '');
      return `${q} is not ${expect} ${JSON.stringify(entry?.refusal ?? requests.continue.refusal)}`;
    });
}

type Around = {
  visits: Map<string, Visit>;
  learner: Learner;
  next: string | null;
  /** Whether the script names an activity to choose after a launch, even if the launch delivers a unit. */
  chooses: boolean;
};

/** Does what the script tells the tester to do after a visit. */
function follow(
  visit: Visit,
  { then }: Step,
  reported: sequencing.UnitEnd,
  { visits, learner, next, chooses }: Around,
): Visit {
  const [act = '', target = ''] = then;
  const end = (request?: NavigationRequest) => {
    const ended = request ? { ...reported, request } : reported;
    take(visit, sequencing.unitEnded(visit.course, visit.state, ended, 0));
    const { globals, buckets } = sequencing.sharedOf(visit.course, visit.state);
    learner.globals = [...new Map([...learner.globals, ...globals])];
    learner.buckets = [...new Map([...learner.buckets, ...buckets])];
  };
  const reopen = (other = visit): Visit => {
    other.state = sequencing.withShared(other.course, other.state, learner);
    launch(other);
    const chosen = other.course.activities.find((activity) => nameOf(activity) === next);
    const isThere = other.delivery !== null && (!chooses || other.delivery.unitID === chosen?.id);
    if (!isThere && chosen) choose(other, chosen.id);
    return other;
  };
  if (act === 'Continue' || act === 'Previous') end({ kind: act === 'Continue' ? 'continue' : 'previous' });
  else if (act === 'Choice' || act === 'ChoiceExit') end({ kind: 'choice', target: targetOf(visit, target) });
  else if (act === 'ContinueExitCM8') {
    end({ kind: 'continue' });
    if (visit.ended) reopen();
  } else if (act === 'SuspendCM09ca') {
    end({ kind: 'suspendAll' });
    reopen();
  } else if (act === 'ExitCM09ba') {
    end({ kind: 'exitAll' });
    reopen();
  } else if (act === 'RootSX4b') {
    end();
    choose(visit, 'the activity that corresponds to the root');
  } else if (/^(APIt|DMIt)/.test(act)) {
    const chosen = visit.course.activities.find((activity) => nameOf(activity) === next);
    end({ kind: 'choice', target: chosen?.id ?? '' });
  } else if (act === 'TRIGExitAll') end({ kind: 'exitAll' });
  else if (act === 'Exit') end({ kind: 'exitAll' });
  else if (/^(relaunch|autoendrelaunch|exitlaunch|DMBx)/i.test(act)) {
    if (act === 'exitlaunch') end({ kind: 'exitAll' });
    else end();
    const name = /DDM[ab]/.exec(then.join(' '))?.[0];
    return reopen(name ? visits.get(name) : visit);
  } else end();
  return visit;
}
