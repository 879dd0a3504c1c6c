import type { Interaction } from '../../../../standards/interactions.ts';
import type { TenantContext } from '../../platform/context.ts';
import { type PageQuery, readCursor, toCursor } from '../../platform/http/pagination.ts';
import type { CourseQuestion, CourseQuestions } from './activity-schemas.ts';
import {
  type AnsweredUnit,
  type Position,
  readAnsweredUnits,
  readPosition,
  writePosition,
} from './course-units.ts';

/** With more than 50 enrolments, the planner reads and sorts all of a course's enrolments. */
const max = { enrolments: 50, units: 400, bytes: 1024 ** 2 };

/**
 * Maximum number of questions per response and per unit. Further questions of a unit are omitted.
 */
const maxQuestions = 1_000;

/**
 * For a question with many different answers, such as a free-text question, only the most frequent are shown.
 */
const maxResponses = 10;

type Tally = {
  question: Omit<
    CourseQuestion,
    'Answers' | 'Correct' | 'Incorrect' | 'Timed' | 'LatencySeconds' | 'Responses'
  >;
  results: (string | null)[];
  latencies: number[];
  responses: Map<string, number>;
};

/**
 * Counts the answers to each question of a course in all attempts. A request covers a limited
 * number of enrolments and bytes, so clients add up the results of all pages.
 */
export async function readCourseQuestions(
  ctx: TenantContext,
  input: Pick<PageQuery, 'Cursor'> & { courseId: string },
): Promise<CourseQuestions> {
  const after = readPosition(readCursor(input));
  const { units, stop } = await readAnsweredUnits(ctx, { courseId: input.courseId, after, max });
  const tallies = new Map<string, Tally>();
  let counted: Position | null = null;
  for (const unit of units) {
    const answers = lastAnswers(unit);
    if (counted && tallies.size + answers.length > maxQuestions) return toPage(tallies, counted);
    for (const answer of answers) count(tallies, unit, answer);
    counted = { enrollId: unit.enrollId, attempt: unit.attempt, unitId: unit.unitId, number: null };
  }
  return toPage(tallies, stop);
}

function toPage(tallies: ReadonlyMap<string, Tally>, stop: Position | null): CourseQuestions {
  const Questions = [...tallies.values()].map(toQuestion);
  return { Questions, NextCursor: stop && toCursor(writePosition(stop)) };
}

/** Content may record a question each time it is answered. Only the last answer in an attempt counts. */
function lastAnswers({ interactions }: AnsweredUnit): Interaction[] {
  const last = new Map(interactions.map((each) => [each.InteractionID, each]));
  return [...last.values()].slice(0, maxQuestions);
}

function count(tallies: Map<string, Tally>, { unitId, unitTitle }: AnsweredUnit, answer: Interaction): void {
  const { InteractionID, Type, Description, CorrectResponses, Result, LatencySeconds, Response } = answer;
  const key = JSON.stringify([unitId, InteractionID]);
  const question = {
    UnitID: unitId,
    UnitTitle: unitTitle,
    InteractionID,
    Type,
    Description,
    CorrectResponses,
  };
  const tally: Tally = tallies.get(key) ?? { question, results: [], latencies: [], responses: new Map() };
  tallies.set(key, { ...tally, question });
  tally.results.push(Result);
  if (LatencySeconds !== null) tally.latencies.push(LatencySeconds);
  if (Response !== null) tally.responses.set(Response, (tally.responses.get(Response) ?? 0) + 1);
}

function toQuestion({ question, results, latencies, responses }: Tally): CourseQuestion {
  const total = latencies.reduce((sum, seconds) => sum + seconds, 0);
  const frequent = [...responses].sort(([, one], [, other]) => other - one).slice(0, maxResponses);
  return {
    ...question,
    Answers: results.length,
    Correct: results.filter((result) => result === 'correct').length,
    Incorrect: results.filter((result) => result === 'incorrect').length,
    Timed: latencies.length,
    LatencySeconds: latencies.length === 0 ? null : Math.round((total / latencies.length) * 100) / 100,
    Responses: frequent.map(([Response, Answers]) => ({ Response, Answers })),
  };
}
