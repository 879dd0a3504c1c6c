import Type from 'typebox';
import type { SessionEnd } from '../enrolments/session-end.ts';
import type { CourseTree, Evidence, RunTimeData, Standard } from '../standards/types.ts';

export const mostElements = 10_000;

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
          Completion: Type.Union([
            Type.Literal('unknown'),
            Type.Literal('incomplete'),
            Type.Literal('completed'),
          ]),
          Success: Type.Union([Type.Literal('unknown'), Type.Literal('passed'), Type.Literal('failed')]),
          Score: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()]),
          Progress: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()]),
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
  { additionalProperties: false },
);
export type Commit = Type.Static<typeof Commit>;

/** The receipt of a commit: it is in the database, unless the sitting is a preview. */
export type Receipt = {
  Number: number;
  Status: string;
  Completion: Evidence['Completion'];
  Success: Evidence['Success'];
  Score: number | null;
  Progress: number;
  /** Why the session has ended; null: it goes on. */
  Ended: SessionEnd | null;
  /** The result counts, but the data was not stored: that of all units together would have more than 4 MiB. */
  Warning?: 'data_not_stored';
  /** In a preview: goes back with the next commit. */
  Preview?: string;
};

/** The answer of `POST /play/{Ticket}/session`: all that the page needs to play. */
export type Session = {
  /** The path segment of what follows: `/play/{Session}/commit`, `/play/{Session}/content/…`. */
  Session: string;
  /** Nothing of this sitting is recorded. */
  Preview: boolean;
  /** Number of this launch of the enrolment; the bookmark of the highest one counts. */
  Launch: number;
  /** The number of the next commit (the count goes on over launches). */
  NextCommit: number;
  /** Empty in a preview. */
  EnrollID: string;
  CourseTitle: string;
  Language: string | null;
  Learner: { ID: string; Name: string };
  Standard: Standard;
  Tree: CourseTree;
  /** `/play/{Session}/content/` for a package; null for a web course at an address of its own, whose unit's `Href` is absolute. */
  ContentPath: string | null;
  /** Per unit: the data to start from, with `entry`, `total_time` and the like prepared for a new sitting. */
  Data: Record<string, RunTimeData>;
  Evidence: Record<string, Evidence>;
  /** What the page stored last of its activity tree. */
  TreeState: string | null;
  LastUnitID: string | null;
  /** Where to go on leaving; null: the page says itself what was saved. */
  ReturnURL: string | null;
  Receipt: Receipt;
};
