import { Check } from 'typebox/value';
import { courseStatement } from '../../../../../standards/xapi/scorm-profile.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { keyedHash } from '../../../infra/keys/key-ring.ts';
import { derivedId } from '../../../lib/ids.ts';
import { courseAddress } from '../../catalogue/content-list.ts';
import { readLog } from '../../events/log.ts';
import { courseResult } from '../../events/types.ts';
import { nothingSent } from '../../events/webhooks/access-token.ts';
import { eventSource } from '../../events/webhooks/event-source.ts';
import { type Body, readBody } from '../../events/webhooks/message.ts';
import { findPastEvents } from '../../events/webhooks/past-events.ts';
import type { Outcome } from '../../events/webhooks/send.ts';
import type { SendingDelivery, Source } from '../../events/webhooks/source.ts';
import { accountOf } from '../identity.ts';
import { resultOf, verbOf } from './derive-statements.ts';
import { statementsMessage, testMessage } from './lrs-message.ts';
import { forgetToken, sendAuthorized } from './send-authorized.ts';

const types = ['enrolment.completed', 'enrolment.passed', 'enrolment.failed'];
const maxEvents = 500;

type Subject = { login_id: string; email: string | null; course_id: string; title: string };

/** Nobody, if the person was erased. */
const subjectText = `
select known.login_id, known.email, course.course_id, course.title from event
join "user" known on known.tenant_id = $1 and known.user_id = event.user_id
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = event.enroll_id
join course on course.course_id = enrolment.course_id
where event.tenant_id = $1 and event.event_id = $2`;

/** The statement about an event. Its ID depends only on the event, so a suite recognises a repeated one. */
function statementOf(ctx: TenantContext, event: Body, subject: Subject, actor: string | null) {
  const { EventID, Type, OccurredAt, EnrollID, Data } = event;
  const verb = verbOf[Type as keyof typeof verbOf];
  if (!verb || EnrollID === null) throw new Error(`The event ${EventID} is not a result.`);
  return courseStatement({
    id: derivedId(keyedHash(ctx.keys, 'statement', `${ctx.tenantId} ${EventID} result`)),
    at: new Date(OccurredAt),
    learner:
      actor === 'account'
        ? { account: accountOf(ctx, subject.login_id) }
        : { mbox: `mailto:${subject.email}` },
    verb,
    course: { id: courseAddress(ctx, subject.course_id), title: subject.title },
    registration: EnrollID,
    result: Check(courseResult, Data) ? resultOf(Data) : null,
  });
}

const refused = (error: string, status: number | null = null): Outcome => ({
  ...nothingSent,
  delivered: false,
  isRefused: true,
  status,
  error,
});

/** Statuses that concern the statement, not the suite or the credentials. */
const ofStatement = [400, 413, 422];

async function sendResult(ctx: TenantContext, sending: SendingDelivery): Promise<Outcome> {
  const { endpoint, delivery, at } = sending;
  const [subject] = await run<Subject>(ctx, subjectText, [ctx.tenantId, delivery.eventId]);
  const event = await readBody(ctx, delivery.eventId);
  if (!subject || !event) return nothingSent;
  if (endpoint.actor !== 'account' && subject.email === null)
    return refused(
      'The person has no email address, so the result was not sent. Enter one, then replay the delivery.',
    );
  const statement = statementOf(ctx, event, subject, endpoint.actor);
  const message = statementsMessage(ctx, endpoint, {
    statements: [statement],
    isSingle: true,
    attachments: [],
    edition: '1.0.3',
    at,
  });
  const outcome = await sendAuthorized(ctx, sending, message);
  // The suite already has the statement.
  if (outcome.status === 409) return { ...outcome, delivered: true, error: null };
  if (outcome.status !== null && ofStatement.includes(outcome.status))
    return {
      ...outcome,
      isRefused: true,
      error: `The suite rejected the result (status ${outcome.status}).`,
    };
  return outcome;
}

/** Each result is a delivery of its own, in the order of its enrolment, so that one failure delays no other learner. */
export const resultSource: Source = {
  hasMore: eventSource.hasMore,
  end: eventSource.end,
  keepsOrder: false,
  readLog: async (ctx, { after }) => {
    const { events, position, hasMore } = await readLog(ctx, {
      after: { position: after, eventId: null },
      types,
      limit: maxEvents,
    });
    return {
      deliveries: events.map(({ event }) => ({
        event_id: event.EventID,
        type: event.Type,
        lane: event.EnrollID ?? event.EventID,
      })),
      position: position.position,
      hasMore: hasMore || events.length === maxEvents,
    };
  },
  send: sendResult,
  /** Many suites only accept statements and respond to reading with 405, which still shows that the credentials work. */
  ping: async (ctx, sending) => {
    forgetToken(ctx, sending.endpoint);
    const outcome = await sendAuthorized(ctx, sending, testMessage(sending.endpoint));
    return outcome.status === 405 ? { ...outcome, delivered: true, error: null } : outcome;
  },
  findPast: (ctx, { endpoint: _, ...input }) => findPastEvents(ctx, { ...input, types }),
};
