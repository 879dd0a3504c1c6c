import Type from 'typebox';
import {
  Address,
  DayOrInstant,
  Fields,
  Instant,
  Nullable,
  OneOf,
  Text,
} from '../../http/validation/schema.ts';
import { actorKinds } from '../../infra/context/context.ts';
import { CourseID } from '../catalogue/schemas.ts';
import { LoginID } from '../users/schemas.ts';

export const CompletionID = Type.String({ maxLength: 64, description: 'Opaque.' });

const sent = {
  CourseID: Nullable({
    ...CourseID,
    description: 'The course of this service that was completed, if there is one.',
  }),
  Title: Nullable(
    Text(500, {
      description: 'What was completed. Required without a CourseID; otherwise the title of the course.',
    }),
  ),
  Success: OneOf(['unknown', 'passed', 'failed'], {
    title: 'SuccessStatus',
    description: 'unknown (default): completed without a result.',
  }),
  Score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
  Source: Nullable(
    Text(255, { description: 'Where it was completed: another system, a classroom, a certificate.' }),
  ),
  EvidenceText: Nullable(Text(2_000, { description: 'What proves it, in words.' })),
  EvidenceURL: Nullable(Address('What proves it, such as a scanned certificate.')),
  Reference: Nullable(
    Text(255, {
      minLength: 1,
      description:
        "The client's own reference, unique in the tenant. Sent again with the same data, the response is 200.",
    }),
  ),
};

export const Completion = Fields(
  {
    CompletionID,
    LoginID,
    ...sent,
    CompletedAt: Instant(),
    External: Type.Boolean({ description: 'Always true: no course of this service recorded it.' }),
    CreatedAt: Instant(),
    CreatedBy: OneOf(actorKinds, {
      title: 'ActorKind',
      description: 'Who recorded it. The audit trail has more.',
    }),
    DeletedAt: Nullable(Instant('When it was deleted. It no longer counts.')),
    DeleteReason: Nullable(Type.String()),
  },
  {
    title: 'ExternalCompletion',
    description: 'A completion from another system, a classroom or a certificate.',
  },
);
export type Completion = Type.Static<typeof Completion>;

const { CourseID: course, Title, Success, ...optional } = sent;

export const NewCompletion = Fields(
  {
    LoginID,
    CourseID: Type.Optional(course),
    Title: Type.Optional(Title),
    CompletedAt: {
      ...DayOrInstant(
        "When it was completed: an instant, or a day, which begins in the tenant's TimeZone. Not in the future.",
      ),
      examples: ['2026-01-15'],
    },
    Success: Type.Optional(Success),
    Score: Type.Optional(optional.Score),
    Source: Type.Optional(optional.Source),
    EvidenceText: Type.Optional(optional.EvidenceText),
    EvidenceURL: Type.Optional(optional.EvidenceURL),
    Reference: Type.Optional(optional.Reference),
  },
  { title: 'NewExternalCompletion' },
);
export type NewCompletion = Type.Static<typeof NewCompletion>;
