import { formatDuration } from '../durations.ts';
import type { Agent, Result, Statement } from './types.ts';

// Builds statements about a whole course that reports through SCORM, AICC or a web page. They use the verbs
// and the category of ADL's SCORM profile (https://w3id.org/xapi/scorm), and do not mention units or
// attempts.

const verbs = ['initialized', 'resumed', 'progressed', 'completed', 'passed', 'failed'] as const;
export type ProfileVerb = (typeof verbs)[number];

/** The result of an enrolment. `score` and `progress` are percentages. */
export type CourseResult = {
  completion: 'unknown' | 'incomplete' | 'completed';
  success: 'unknown' | 'passed' | 'failed';
  score: number | null;
  progress: number;
  totalSeconds: number;
};

export type CourseStatement = {
  id: string;
  at: Date;
  learner: Agent;
  verb: ProfileVerb;
  course: { id: string; title: string };
  registration: string;
  result: CourseResult | null;
};

const category = {
  id: 'https://w3id.org/xapi/scorm',
  definition: { type: 'http://adlnet.gov/expapi/activities/profile' },
};

const hundredths = (percent: number) => Math.round(percent * 100) / 10_000;

function resultOf({ completion, success, score, progress, totalSeconds }: CourseResult): Result {
  return {
    ...(completion !== 'unknown' && { completion: completion === 'completed' }),
    ...(success !== 'unknown' && { success: success === 'passed' }),
    ...(score !== null && { score: { scaled: hundredths(score) } }),
    duration: formatDuration(totalSeconds),
    extensions: { 'https://w3id.org/xapi/cmi5/result/extensions/progress': Math.round(progress) },
  };
}

export function courseStatement(input: CourseStatement): Statement & { id: string } {
  const { id, at, learner, verb, course, registration, result } = input;
  return {
    id,
    timestamp: at.toISOString(),
    actor: { objectType: 'Agent', ...learner },
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}`, display: { en: verb } },
    object: {
      objectType: 'Activity',
      id: course.id,
      definition: { type: 'http://adlnet.gov/expapi/activities/course', name: { und: course.title } },
    },
    ...(result && { result: resultOf(result) }),
    context: { registration, platform: 'Lectern', contextActivities: { category: [category] } },
  };
}
