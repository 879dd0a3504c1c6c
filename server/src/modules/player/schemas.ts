import Type from 'typebox';
import { type CourseTree, type Evidence, type RunTimeData, standards } from '../../../../standards/types.ts';
import { Fields, Nullable, OneOf } from '../../platform/schema.ts';
import { completions, successes } from '../enrolments/schemas.ts';
import { type SessionEnd, sessionEnds } from '../enrolments/session-end.ts';

export const mostElements = 10_000;

/**
 * Commits hold a whole unit: 64 kB of suspend data in any script, beside interactions and an activity tree. Not more
 * than what nginx lets through by default; the page refuses larger ones itself (`largestCommit` in `player`).
 */
export const commitBytes = 1024 * 1024;

/**
 * What the data models of SCORM and our own for pages without one call an element. By words and not by a list, because a
 * name that the page sends and the server refuses would cost a learner's progress.
 */
const elementName = '^(?:cmi|adl|lectern)(?:\\.[a-z0-9_]{1,40}){1,10}$';

/** The body of `POST /play/{Session}/commit`: one numbered snapshot of one unit's run-time data. */
export const Commit = Type.Object(
  {
    Number: Type.Integer({
      minimum: 1,
      maximum: 2_000_000_000,
      description:
        'Counts up by one with each commit of a launch. The server takes each once; a repeated one is answered with the state again and changes nothing. A number that another commit has taken, or that is more than 1,000 ahead: 409 `commit_number_ahead` with `Expected`.',
    }),
    UnitID: Type.String({ minLength: 1, maxLength: 4096 }),
    // Not a Type.Record: its pattern lets names with a line break pass unchecked.
    Data: Type.Unsafe<RunTimeData>({
      type: 'object',
      maxProperties: mostElements,
      propertyNames: { maxLength: 255, pattern: elementName },
      additionalProperties: { type: 'string', maxLength: 65_536 },
      description: 'The whole run-time data model of the unit, flat, as of now.',
    }),
    Tree: Type.Optional(
      Type.String({
        maxLength: 524_288,
        description:
          'SCORM 2004: the state of the activity tree, serialised by the page; given back at the next launch.',
      }),
    ),
    Root: Type.Optional(
      Type.Object(
        {
          Completion: OneOf(completions),
          Success: OneOf(successes),
          Score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
          Progress: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
        },
        {
          additionalProperties: false,
          description: 'SCORM 2004: what the sequencing engine rolled up for the whole course.',
        },
      ),
    ),
    Preview: Type.Optional(
      Type.String({
        maxLength: 2_097_152,
        description: 'In a preview: what the last receipt gave, because nothing is kept here.',
      }),
    ),
    Exit: Type.Optional(
      Type.Boolean({ description: 'True with the last commit: the learner leaves and the session ends.' }),
    ),
  },
  { additionalProperties: false, title: 'Commit' },
);
export type Commit = Type.Static<typeof Commit>;

/** The receipt of a commit: it is in the database, unless the sitting is a preview. */
export const Receipt = Fields(
  {
    Number: Type.Integer({ description: 'The number of the commit; 0: none was made yet.' }),
    Status: Type.String({ description: 'Status of the enrolment.' }),
    Completion: OneOf(completions),
    Success: OneOf(successes),
    Score: Nullable(Type.Number({ description: '0–100.' })),
    Progress: Type.Number({ description: '0–100.' }),
    Ended: Nullable(
      OneOf(Object.keys(sessionEnds) as SessionEnd[], {
        description: 'Why the session has ended; null: it goes on.',
      }),
    ),
    Warning: Type.Optional(
      OneOf(['data_not_stored'], {
        description: 'The result counts, but the data was not stored: all units together would exceed 4 MiB.',
      }),
    ),
    Preview: Type.Optional(Type.String({ description: 'In a preview: send it with the next commit.' })),
  },
  { title: 'Receipt' },
);
export type Receipt = Type.Static<typeof Receipt>;

/** A description that no schema of ours repeats: `standards/types.ts` has it. */
function Described<T>(description: string) {
  return Type.Unsafe<T>({ type: 'object', additionalProperties: true, description });
}

/** All that the page needs to play. */
export const PlayerSession = Fields(
  {
    Session: Type.String({
      description: 'The path segment of what follows: `/play/{Session}/commit`, `/play/{Session}/content/…`.',
    }),
    Preview: Type.Boolean({ description: 'True: nothing of this session is recorded.' }),
    Launch: Type.Integer({
      description: 'Number of this launch of the enrolment. The bookmark of the highest one counts.',
    }),
    NextCommit: Type.Integer({ description: 'The number of the next commit; launches share the count.' }),
    EnrollID: Type.String({ description: 'Empty in a preview.' }),
    CourseTitle: Type.String(),
    Language: Nullable(Type.String()),
    Learner: Fields({ ID: Type.String(), Name: Type.String() }),
    Standard: OneOf(standards),
    Tree: Described<CourseTree>('The units of the course, with their rules for sequencing.'),
    ContentPath: Nullable(
      Type.String({
        description:
          '`/play/{Session}/content/` for a package; null for a web course elsewhere, whose unit has an absolute `Href`.',
      }),
    ),
    Data: Described<Record<string, RunTimeData>>('By UnitID: the run-time data to start from.'),
    Evidence: Described<Record<string, Evidence>>('By UnitID: what was recorded so far.'),
    TreeState: Nullable(Type.String({ description: 'What the page last stored of its activity tree.' })),
    LastUnitID: Nullable(Type.String()),
    ReturnURL: Nullable(
      Type.String({ description: 'Where to go on leaving; null: the page says what was saved.' }),
    ),
    Receipt,
  },
  { title: 'PlayerSession' },
);
export type Session = Type.Static<typeof PlayerSession>;
