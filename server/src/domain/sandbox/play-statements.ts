import type { launchData } from '../../../../standards/cmi5/lms-statements.ts';
import type { AuRecord } from '../../../../standards/cmi5/satisfaction.ts';
import { type AuVerb, auVerbs, categories, extensions } from '../../../../standards/cmi5/vocabulary.ts';
import { formatDuration } from '../../../../standards/durations.ts';
import type { Agent, Result, Statement } from '../../../../standards/xapi/types.ts';
import type { Play } from './schemas.ts';

/** The data in the launch URL of content, and the time. */
export type ActivityLaunch = {
  actor: Agent;
  registration: string;
  activityId: string;
  at: Date;
  newId: () => string;
};

/** An AU also has its launch data, and knows what it has reported in this registration. */
export type AuLaunch = ActivityLaunch & { launchData: ReturnType<typeof launchData>; record: AuRecord };

/** The statements of an AU in a session: those that it sends while it is open, and the one that it sends on exit. */
export function auStatements(launch: AuLaunch, play: Play): { open: Statement[]; leaving: Statement } {
  const reported = launch.launchData.launchMode === 'Normal' ? newReports(launch, play) : [];
  return {
    open: (['initialized', ...reported] as const).map((verb) => auStatement(launch, verb, play)),
    leaving: auStatement(launch, 'terminated', play),
  };
}

/**
 * Sections 9.3.3 to 9.3.5: an AU reports `completed` and `passed` only once in a registration, and never
 * `failed` after `passed`.
 */
function newReports({ launchData, record }: AuLaunch, play: Play): AuVerb[] {
  const isNew = (verb: AuVerb) => (verb === 'completed' ? record.completed : record.passed) === null;
  return reports[outcomeOf(play, launchData.masteryScore)].filter(isNew);
}

const reports: Record<Play['Status'], AuVerb[]> = {
  passed: ['passed', 'completed'],
  failed: ['failed'],
  completed: ['completed'],
  incomplete: [],
};

/** Sections 9.3.4 and 9.3.5: with a mastery score, the score decides between `passed` and `failed`. */
function outcomeOf(play: Play, masteryScore: number | undefined): Play['Status'] {
  const scaled = scaledScore(play);
  if (masteryScore === undefined || scaled === undefined) return play.Status;
  if (play.Status !== 'passed' && play.Status !== 'failed') return play.Status;
  return scaled >= masteryScore ? 'passed' : 'failed';
}

/** Rounded, because 33.3 / 100 is less than 0.333. Mastery scores have up to four decimal places. */
const scaledScore = ({ Score }: Play) => (Score === undefined ? undefined : Math.round(Score * 100) / 10_000);

/** The robot is quick, but content has to report a duration. */
const duration = formatDuration(1);

function auStatement(launch: AuLaunch, verb: AuVerb, play: Play): Statement {
  const { contextTemplate, masteryScore } = launch.launchData;
  const isScored = verb === 'passed' || verb === 'failed';
  const isMoveOn = isScored || verb === 'completed';
  const scaled = isScored ? scaledScore(play) : undefined;
  const result: Result = {
    ...(scaled !== undefined && { score: { scaled } }),
    ...(isScored && { success: verb === 'passed' }),
    ...(verb === 'completed' && { completion: true }),
    duration,
  };
  return {
    ...statementOf(launch, auVerbs[verb], verb),
    ...(verb !== 'initialized' && { result }),
    context: {
      registration: launch.registration,
      contextActivities: {
        ...contextTemplate.contextActivities,
        category: [{ id: categories.cmi5 }, ...(isMoveOn ? [{ id: categories.moveOn }] : [])],
      },
      extensions: {
        ...contextTemplate.extensions,
        ...(scaled !== undefined &&
          masteryScore !== undefined && { [extensions.masteryScore]: masteryScore }),
      },
    },
  };
}

/** The statement of an xAPI package about its activity, with the result that the robot has to report. */
export function activityStatement(launch: ActivityLaunch, play: Play): Statement {
  const { Status } = play;
  const scaled = scaledScore(play);
  const verb = Status === 'incomplete' ? 'attempted' : Status;
  return {
    ...statementOf(launch, `http://adlnet.gov/expapi/verbs/${verb}`, verb),
    result: {
      ...(scaled !== undefined && { score: { scaled } }),
      ...((Status === 'passed' || Status === 'failed') && { success: Status === 'passed' }),
      ...((Status === 'passed' || Status === 'completed') && { completion: true }),
      duration,
    },
    context: { registration: launch.registration },
  };
}

function statementOf({ actor, activityId, at, newId }: ActivityLaunch, id: string, name: string): Statement {
  return {
    id: newId(),
    timestamp: at.toISOString(),
    actor,
    verb: { id, display: { en: name } },
    object: { objectType: 'Activity', id: activityId },
  };
}
