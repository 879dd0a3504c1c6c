import Type from 'typebox';
import { pageQuery } from '../../platform/pagination.ts';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../platform/schema.ts';
import { type EventType, eventCatalogue, eventTypes } from './types.ts';

const members = {
  EventID: Type.String({ format: 'uuid' }),
  OccurredAt: Instant(),
  LoginID: Nullable(Type.String({ description: 'The user that it is about; null: none, or erased since.' })),
  EnrollID: Nullable(Type.String({ description: 'The enrolment that it is about.' })),
  CourseID: Nullable(Type.String()),
};

export const Event = Fields(
  {
    ...members,
    Type: OneOf(eventTypes),
    Data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'Depends on Type: see the webhooks of this document. Fields may be added to it.',
    }),
  },
  { title: 'Event', description: 'Something that happened; the body of a webhook delivery.' },
);
export type Event = Type.Static<typeof Event>;

/** The schema of one type's events, with its Data. */
export function eventSchema(type: EventType) {
  const [description, data] = eventCatalogue[type];
  return Type.Object({ ...members, Type: Type.Literal(type), Data: data }, { description });
}

export const EventPage = Fields({
  Items: Type.Array(Event),
  NextCursor: Nullable(
    Type.String({
      description:
        'Oldest first it is never null: ask with it again, now or later, for what has happened since. Newest first null says that there is nothing older.',
    }),
  ),
});
export type EventPage = Type.Static<typeof EventPage>;

/** One type, or several parted by commas. */
export const TypesText = Text(2048, { minLength: 1, description: 'Types, parted by commas. Default: all.' });

export const eventQuery = Fields({
  Limit: pageQuery.Limit,
  Cursor: pageQuery.Cursor,
  after: Type.Optional(Type.String({ maxLength: 4096, description: 'The same as Cursor.' })),
  Types: Type.Optional(TypesText),
  EnrollID: Type.Optional(Type.String({ format: 'uuid' })),
  LoginID: Type.Optional(Identifier('The user that it is about, or whose enrolment.')),
  Order: Type.Optional(
    OneOf(['oldest', 'newest'], {
      description:
        'What comes first. Default: oldest, in an order without gaps, for programs. newest, by EventID, is for people: what was under way while a page was read may be missing from it. Each has a cursor of its own.',
    }),
  ),
});
