import { sql } from 'kysely';
import { dataAfterScore, lastTimestamp, toolUnitId } from '../../../../standards/lti.ts';
import { ownRows } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { countingResult } from '../enrolments/record/states.ts';
import { readUnitData } from '../enrolments/record/units.ts';
import { lockRegistration } from '../enrolments/run-time/au-sessions.ts';
import { recordUnit } from '../enrolments/run-time/record-result.ts';
import { type MemberPage, membersText } from './members.ts';
import { platformUrls, type ToolRow } from './tools.ts';

/** A course has one line item, which is its result. All scores are stored as parts of 100. */
const maximum = 100;

export function lineItemOf(ctx: TenantContext, tool: ToolRow) {
  return {
    id: platformUrls(ctx, tool.course_id).lineItem,
    scoreMaximum: maximum,
    label: tool.title,
    resourceLinkId: tool.course_id,
  };
}

type Result = {
  user_id: string;
  login_id: string;
} & Parameters<typeof countingResult>[0];

/** The results of the learners on the course, as far as they have a score (AGS 2.0, 3.3). */
export async function listResults(ctx: TenantContext, tool: ToolRow, page: MemberPage) {
  const values = [ctx.tenantId, tool.course_id, page.after, page.limit + 1, page.userId, null];
  const rows = await run<Result>(ctx, membersText, values);
  const { lineItem } = platformUrls(ctx, tool.course_id);
  const results = rows.slice(0, page.limit).flatMap((row) => {
    const { Score } = countingResult(row);
    if (Score === null) return [];
    const id = `${lineItem}/results?user_id=${row.user_id}`;
    return [{ id, scoreOf: lineItem, userId: row.user_id, resultScore: Score, resultMaximum: maximum }];
  });
  return { results, next: rows.length > page.limit ? (rows[page.limit - 1]?.user_id ?? null) : null };
}

const activities = ['Initialized', 'Started', 'InProgress', 'Submitted', 'Completed'];
const gradings = ['FullyGraded', 'Pending', 'PendingManual', 'Failed', 'NotReady'];

type Score = {
  userId: string;
  timestamp: string;
  activity: string;
  grading: string;
  scaled: number | null;
};

const malformed = (detail: string) => new Problem('malformed_request', detail);

/** Moodle 4.2 sends the digits of a score as text. */
const numberOf = (value: unknown) =>
  typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;

/** Checks a score (AGS 2.0, 3.4). More than the maximum is extra credit, which is allowed and counts as the maximum. */
export function readScore(body: unknown): Score {
  const sent = Object(body) as Record<string, unknown>;
  const { userId, timestamp, activityProgress, gradingProgress } = sent;
  const [scoreGiven, scoreMaximum] = [numberOf(sent.scoreGiven), numberOf(sent.scoreMaximum)];
  if (typeof userId !== 'string' || userId === '') throw malformed('Send the userId of the launch.');
  if (typeof timestamp !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(timestamp) || !Date.parse(timestamp))
    throw malformed('Send a timestamp such as 2026-01-31T09:00:00.000Z.');
  if (!activities.includes(String(activityProgress)))
    throw malformed(`Send an activityProgress: ${activities.join(', ')}.`);
  if (!gradings.includes(String(gradingProgress)))
    throw malformed(`Send a gradingProgress: ${gradings.join(', ')}.`);
  let scaled: number | null = null;
  if (scoreGiven !== undefined && scoreGiven !== null) {
    if (typeof scoreGiven !== 'number' || !Number.isFinite(scoreGiven) || scoreGiven < 0)
      throw malformed('scoreGiven has to be a number of at least 0.');
    if (typeof scoreMaximum !== 'number' || !Number.isFinite(scoreMaximum) || scoreMaximum <= 0)
      throw malformed('Send a scoreMaximum greater than 0 with scoreGiven.');
    scaled = Math.min(scoreGiven / scoreMaximum, 1);
  }
  return {
    ...{ userId, timestamp: new Date(timestamp).toISOString(), scaled },
    ...{ activity: String(activityProgress), grading: String(gradingProgress) },
  };
}

/** Stores a score as the result of the learner's latest enrolment. */
export async function storeScore(ctx: TenantContext, tool: ToolRow, score: Score): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const enrolment = await ownRows(ctx, 'enrolment', { course_id: tool.course_id })
      .select('enroll_id')
      .where('user_id', '=', isId(score.userId) ? score.userId : null)
      .where('status', '<>', 'withdrawn')
      .orderBy(sql`ended_at is null`, 'desc')
      .orderBy('enroll_id', 'desc')
      .executeTakeFirst();
    const locked = enrolment && (await lockRegistration(ctx, enrolment.enroll_id));
    if (!locked)
      throw malformed('The userId is not a learner on this course. Send scores only for enrolled learners.');
    const place = { enrollId: locked.enroll_id, unitId: toolUnitId };
    const data = await readUnitData(ctx, place);
    const last = lastTimestamp(data);
    if (last !== null && score.timestamp <= last)
      throw new Problem(
        'touched',
        `There is a score with the timestamp ${last}. Send a later timestamp, with milliseconds.`,
      );
    const isGraded = score.grading === 'FullyGraded';
    const isCompleted = score.activity === 'Completed' || (score.activity === 'Submitted' && isGraded);
    const { timestamp } = score;
    const scaled = isGraded ? score.scaled : null;
    await recordUnit(ctx, {
      ...{ ...place, launch: locked.launches },
      data: dataAfterScore(data, { timestamp, isCompleted, scaled }, tool.passing_score),
    });
  });
}
