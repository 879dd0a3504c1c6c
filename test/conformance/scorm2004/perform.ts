import type { Browser } from 'playwright-core';
import type { TestService } from '../../../server/test/support/service.ts';
import { difference } from './compare.ts';
import { type Arrival, type Learner, openLearner } from './learner.ts';
import { pack, titlesOf } from './package.ts';
import { manifestsOf, type Script, type Step } from './scripts.ts';

/** Thrown at the first difference from a script, with its description. */
class Difference extends Error {}

type Course = { name: string; launchURL: string; titles: ReturnType<typeof titlesOf> };
type Visit = { learner: Learner; learnerID: string; courses: Course[]; course: Course; script: Script };

/** Runs scripts as one learner. Returns the first difference found in the last script, or null. */
export async function runSeries(
  service: TestService,
  browser: Browser,
  series: readonly Script[],
): Promise<string | null> {
  let difference: string | null = null;
  let learnerID = '';
  for (const script of series) {
    const prepared = await prepare(service, script, learnerID);
    learnerID = prepared.learnerID;
    difference = await runScript(browser, script, prepared);
  }
  return difference;
}

type Prepared = Pick<Visit, 'learnerID' | 'courses'>;

async function runScript(
  browser: Browser,
  script: Script,
  { learnerID, courses }: Prepared,
): Promise<string | null> {
  const [course] = courses;
  if (!course) return 'there is no manifest';
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  try {
    const learner = await openLearner(context);
    await runSteps({ learner, learnerID, courses, course, script });
    return null;
  } catch (error) {
    if (error instanceof Difference) return error.message;
    return `the harness failed: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  } finally {
    await context.close();
  }
}

/**
 * Imports the script's packages and enrols one learner on all of them. Creates the learner if none is given.
 */
async function prepare(service: TestService, script: Script, learner: string): Promise<Prepared> {
  const courses: Course[] = [];
  let learnerID = learner;
  for (const { name, text } of manifestsOf(script)) {
    const { status, body } = await service.importPackage(name, await pack(name, text));
    if (status >= 300) throw new Error(`${name} was not imported: ${JSON.stringify(body).slice(0, 200)}`);
    let launchURL: string;
    if (learnerID === '') {
      const enrolment = await service.enrol(name);
      learnerID = enrolment.LoginID;
      launchURL = enrolment.LaunchURL;
    } else {
      await service.api('PUT', `/course/${name}/option/standard`, {});
      launchURL = (await service.api('POST', `/enrol/${learnerID}/${name}`)).body.LaunchURL;
    }
    courses.push({ name, launchURL, titles: titlesOf(text) });
  }
  return { learnerID, courses };
}

async function runSteps(visit: Visit): Promise<void> {
  const { learner, script } = visit;
  const named = visit.courses.some(({ name }) => name === script.start);
  await learner.launch(visit.course.launchURL);
  let choose: string | null = script.start === '.' || named ? null : script.start;
  for (const [index, step] of script.steps.entries()) {
    const where = `activity ${step.activity}, visit ${step.visit}`;
    const arrival = await awaitActivity(visit, step, choose);
    await checkScreen(visit, step, where);
    await playStep(visit, arrival, step, where);
    choose = await continueAfter(visit, step, script.steps[index + 1] ?? null, where);
  }
}

/**
 * Waits for a step's activity, and chooses it if necessary. An activity that is delivered before this choice
 * makes no calls.
 */
async function awaitActivity({ learner }: Visit, step: Step, choose: string | null): Promise<Arrival> {
  const wanted = `activity ${step.activity}, visit ${step.visit}`;
  const first = await learner.arrival();
  if (first?.activity === step.activity) return first;
  first?.answer(null);
  if (choose === null)
    throw new Difference(`${wanted} expected, got ${first ? `activity ${first.activity}` : 'nothing'}`);
  if (!(await learner.choose(choose))) throw new Difference(`${wanted}: "${choose}" cannot be chosen`);
  const second = await learner.arrival();
  if (second?.activity === step.activity) return second;
  second?.answer(null);
  throw new Difference(
    `${wanted} expected after "${choose}" was chosen, got ${second ? `activity ${second.activity}` : 'nothing'}`,
  );
}

async function checkScreen({ learner, course }: Visit, { ui }: Step, where: string): Promise<void> {
  for (const { q, expect } of ui)
    if (!(await learner.expectAnswer(withRootTitle(q, course), expect === 'Y')))
      throw new Difference(`${where}: ${q} ${expect} expected`);
}

/** Scripts describe the root with a sentence. The contents list shows the course's title instead. */
function withRootTitle(text: string, { name }: Course): string {
  return text.replace(/the activity that corresponds to the root of "[^"]*"/, name);
}

async function playStep(
  { learner, learnerID }: Visit,
  arrival: Arrival,
  step: Step,
  where: string,
): Promise<void> {
  const calls = step.calls.filter(({ fn }) => fn !== '?');
  const isSilent = arrival.ending.terminate === 'never' || calls.length === 0;
  const ending = isSilent ? ({ terminate: 'never', onUnload: null } as const) : arrival.ending;
  const plan = { ...ending, calls: calls.map(({ fn, args = [] }) => ({ fn, args: args.map(String) })) };
  const played = await learner.play(arrival, plan);
  if (!played) throw new Difference(`${where}: the page did not play its calls`);
  for (const [index, call] of calls.entries()) {
    const result = played.results[index] ?? { returned: '', error: 'none' };
    const differs = difference(call, result, learnerID);
    if (differs) throw new Difference(`${where}, call ${index + 1}: ${differs}`);
  }
  if (played.terminated !== 'true') throw new Difference(`${where}: Terminate returned ${played.terminated}`);
}

/** How long to wait for a session to end before the learner leaves it. */
const endLimit = 4_000;

/**
 * Performs a tester's steps after a visit. Returns the title to choose if the next activity is not delivered
 * automatically.
 */
async function continueAfter(
  visit: Visit,
  step: Step,
  next: Step | null,
  where: string,
): Promise<string | null> {
  const { learner, course, courses } = visit;
  const [action = '', argument = ''] = step.then;
  const titleOfNext = () => course.titles.get(next?.activity ?? '') ?? null;
  const relaunch = async (to: Course) => {
    if (!(await learner.ended(endLimit)) && !(await learner.leave()))
      throw new Difference(`${where}: the session did not end`);
    visit.course = to;
    await learner.launch(to.launchURL);
  };
  const ends = async () => {
    if (!(await learner.ended(30_000))) throw new Difference(`${where}: the session did not end`);
  };
  const press = async (button: 'continue' | 'previous') => {
    if (!(await learner.press(button))) throw new Difference(`${where}: ${button} is not enabled`);
  };
  const choose = async (title: string) => {
    const chosen = withRootTitle(title, course);
    if (!(await learner.choose(chosen))) throw new Difference(`${where}: "${chosen}" cannot be chosen`);
  };
  if (action === '') return null;
  if (action === 'Continue' || action === 'Previous') {
    await press(action === 'Continue' ? 'continue' : 'previous');
    return null;
  }
  if (action === 'Choice') {
    await choose(argument);
    return null;
  }
  if (/^Exit$|^TRIGExitAll$/.test(action)) {
    if (!(await learner.leave())) throw new Difference(`${where}: the learner cannot leave`);
    return null;
  }
  if (/^AutoTest|^HasEnded/.test(action)) {
    await ends();
    return null;
  }
  if (action === 'ContinueExitCM8') {
    await press('continue');
    await ends();
    await learner.launch(course.launchURL);
    return null;
  }
  if (action === 'ChoiceExit') {
    await choose(argument);
    await ends();
    return null;
  }
  if (/^(?:APIt|DMIt)\d/.test(action)) {
    const title = titleOfNext();
    if (title) await choose(title);
    return null;
  }
  if (action === 'RootSX4b') {
    await choose(course.name);
    return null;
  }
  if (action === 'ExitCM09ba') {
    if (!(await learner.endAttempt())) throw new Difference(`${where}: the attempt cannot be ended`);
    await learner.launch(course.launchURL);
    return null;
  }
  const packaged = courses.find(({ name }) => [argument, action.replace(/^ReLaunch/, '')].includes(name));
  await relaunch(packaged ?? course);
  return visit.script.start === '.' || packaged ? null : titleOfNext();
}
