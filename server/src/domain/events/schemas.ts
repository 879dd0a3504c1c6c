import Type from 'typebox';
import { pageQuery } from '../../http/pagination.ts';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { type EventType, eventCatalogue, eventTypes } from './types.ts';

const members = {
  EventID: Type.String({ format: 'uuid' }),
  OccurredAt: Instant(),
  LoginID: Nullable(
    Type.String({
      description: 'The user to whom the event relates; null if there is none or the user has been erased.',
    }),
  ),
  EnrollID: Nullable(Type.String({ description: 'The enrolment to which the event relates.' })),
  CourseID: Nullable(Type.String()),
};

export const Event = Fields(
  {
    ...members,
    Type: OneOf(eventTypes, { title: 'EventType' }),
    Data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Depends on Type: see the webhooks in this document. Fields may be added.',
    }),
  },
  { title: 'Event', description: 'An event; the body of a webhook delivery.' },
);
export type Event = Type.Static<typeof Event>;

export function eventSchema(type: EventType) {
  const [description, data] = eventCatalogue[type];
  const words = `${type}.event`
    .split(/[._]/)
    .map((word) => word.replace(/^./, (first) => first.toUpperCase()));
  const title = words.join('');
  return Type.Object({ ...members, Type: Type.Literal(type), Data: data }, { title, description });
}

export const EventPage = Fields(
  {
    Items: Type.Array(Event),
    NextCursor: Nullable(
      Type.String({
        description:
          'With Order=oldest, it is never null: send it, now or later, to get the events since then. With Order=newest, null means that there are no older events.',
      }),
    ),
  },
  { title: 'EventPage' },
);
export type EventPage = Type.Static<typeof EventPage>;

/** One type, or several separated by commas. */
export const TypesText = Text(2048, { minLength: 1, description: 'Comma-separated types. Default: all.' });

export const eventQuery = Fields({
  Limit: pageQuery.Limit,
  Cursor: pageQuery.Cursor,
  after: Type.Optional(
    Type.String({ maxLength: 4096, description: 'Former name of Cursor.', deprecated: true }),
  ),
  Types: Type.Optional(TypesText),
  EnrollID: Type.Optional(Type.String({ format: 'uuid' })),
  LoginID: Type.Optional(Identifier('The user to whom the event or its enrolment relates.')),
  Order: Type.Optional(
    OneOf(['oldest', 'newest'], {
      description:
        'Sort order. oldest (default) is for programs and leaves no gaps. newest sorts by EventID and is for people; it can miss events that are written while a page is read. Each order has its own cursors.',
    }),
  ),
});
