import Type from 'typebox';
import { problems } from '../../../../../scorm/data-model/types.ts';
import type { Shared } from '../../../../../scorm/sequencing/session.ts';
import { storageLimits } from '../../../../../standards/storage-limits.ts';
import {
  type CourseTree,
  type Evidence,
  type RunTimeData,
  standards,
} from '../../../../../standards/types.ts';
import { Fields, Nullable, OneOf } from '../../../http/validation/schema.ts';
import { namesOf } from '../../../lib/tables.ts';
import { completions, successes } from '../../enrolments/record/schemas.ts';
import { sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { PageBranding } from '../../tenants/branding.ts';

/**
 * Element names of the SCORM data models and our own. A pattern is used instead of a list, because
 * rejecting an unknown name from the page would lose a learner's progress.
 */
const elementName = '^(?:cmi|adl|lectern)(?:\\.[a-z0-9_]{1,40}){1,10}$';
const ElementName = Type.String({ maxLength: 255, pattern: elementName });
const CommitNumber = { minimum: 1, maximum: 2_000_000_000 } as const;

/** The body of `POST /play/{Session}/commit`: one numbered snapshot of one unit's run-time data, or its changes. */
export const Commit = Type.Object(
  {
    Number: Type.Integer({
      ...CommitNumber,
      description:
        'Increases by one with each commit of a launch. The server stores each number once; repeating a commit returns the state again and changes nothing. A number that another commit has used, or that is more than 1,000 ahead, gets 409 `commit_number_ahead` with `Expected`.',
    }),
    UnitID: Type.String({ minLength: 1, maxLength: 4096 }),
    // Type.Record is not used, because its pattern would allow names with a line break.
    Data: Type.Unsafe<RunTimeData>({
      type: 'object',
      maxProperties: storageLimits.unitElements,
      propertyNames: { maxLength: 255, pattern: elementName },
      additionalProperties: { type: 'string', maxLength: storageLimits.valueCharacters },
      description: 'The run-time data of the unit, as a flat object: all of it, unless `Base` is present.',
    }),
    Base: Type.Optional(
      Type.Object(
        {
          Number: Type.Integer({
            ...CommitNumber,
            description: 'A commit of the same launch and unit whose receipt confirmed its data.',
          }),
          Removed: Type.Optional(
            Type.Array(ElementName, {
              maxItems: storageLimits.unitElements,
              description: 'The elements that the data no longer has.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            '`Data` then has only the elements that have changed since the commit `Number`. If a later launch has stored data, or the commit is unknown, the reply is 409 `commit_base_unknown`.',
        },
      ),
    ),
    Tree: Type.Optional(
      Type.String({
        maxLength: storageLimits.treeCharacters,
        description: 'SCORM 2004: the activity tree as serialised by the page; returned at the next launch.',
      }),
    ),
    Root: Type.Optional(
      Type.Object(
        {
          Completion: OneOf(completions, { title: 'CompletionStatus' }),
          Success: OneOf(successes, { title: 'SuccessStatus' }),
          Score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
          Progress: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
        },
        {
          additionalProperties: false,
          description: 'SCORM 2004: the rollup of the whole course by the sequencing engine.',
        },
      ),
    ),
    DataOmitted: Type.Optional(
      Type.Boolean({
        description:
          'true if the data is too large to send. `Data` then has only the elements on which results depend, and the data stored before is kept.',
      }),
    ),
    Refused: Type.Optional(
      Type.Array(
        Type.Object(
          {
            Element: ElementName,
            Value: Type.String({ maxLength: 100, description: 'Its beginning, if it is longer.' }),
            Problem: OneOf(problems),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 10,
          description: 'Values that the content set but that were not accepted. The timeline shows them.',
        },
      ),
    ),
    Preview: Type.Optional(
      Type.String({
        maxLength: 2_097_152,
        description:
          'In a preview: the value from the last receipt, because nothing is stored on the server.',
      }),
    ),
    Exit: Type.Optional(
      Type.Boolean({ description: 'true in the last commit, when the learner leaves and the session ends.' }),
    ),
  },
  { additionalProperties: false, title: 'Commit' },
);
export type Commit = Type.Static<typeof Commit>;

/** The receipt for a commit. It means that the commit is in the database, unless this is a preview. */
export const Receipt = Fields(
  {
    Number: Type.Integer({ description: 'Number of the commit; 0 if there has been no commit.' }),
    Status: Type.String({ description: 'Status of the enrolment.' }),
    Completion: OneOf(completions, { title: 'CompletionStatus' }),
    Success: OneOf(successes, { title: 'SuccessStatus' }),
    Score: Nullable(Type.Number({ description: '0–100.' })),
    Progress: Type.Number({ description: '0–100.' }),
    Ended: Nullable(
      OneOf(namesOf(sessionEnds), { description: 'Why the session has ended; null if it is still open.' }),
    ),
    Warning: Type.Optional(
      OneOf(['data_not_stored'], {
        description:
          'The result counts, but not all of the run-time data was stored, because a unit or all units together would exceed their limits.',
      }),
    ),
    Preview: Type.Optional(Type.String({ description: 'In a preview: send it with the next commit.' })),
  },
  { title: 'Receipt' },
);
export type Receipt = Type.Static<typeof Receipt>;

/** Describes a type from `standards/types.ts`, which has no schema of its own. */
function Described<T>(description: string) {
  return Type.Unsafe<T>({ type: 'object', additionalProperties: true, description });
}

const playerModes = ['normal', 'preview', 'review'] as const;

const { Name, Language, Colour, Light, Dark } = PageBranding.properties;

const PlayerBranding = Fields(
  {
    ...{ Name, Language, Colour, Light, Dark },
    LogoPath: Nullable(Type.String({ description: '`/play/{Session}/logo`; null if there is no logo.' })),
  },
  { description: "The tenant's branding. All members are null if there is none." },
);

/** Everything that the page needs to play. */
export const PlayerSession = Fields(
  {
    Session: Type.String({
      description: 'The path segment for the following requests, such as `/play/{Session}/commit`.',
    }),
    Mode: OneOf(playerModes, {
      title: 'PlayerMode',
      description: 'In a preview and in a review, nothing is recorded.',
    }),
    Launch: Type.Integer({
      description:
        'Number of this launch of the enrolment. The bookmark of the launch with the highest number is kept.',
    }),
    NextCommit: Type.Integer({
      description: 'Number of the next commit. All launches of an enrolment share one sequence.',
    }),
    EnrollID: Type.String({ description: 'Empty in a preview.' }),
    CourseTitle: Type.String(),
    Language: Nullable(Type.String({ description: 'The language of the course.' })),
    Branding: PlayerBranding,
    Learner: Fields({ ID: Type.String(), Name: Type.String() }),
    Standard: OneOf(standards, { title: 'PackageStandard' }),
    Tree: Described<CourseTree>('The units of the course, with their sequencing rules.'),
    ContentPath: Nullable(
      Type.String({
        description:
          'Where the files of a package are. It is the same for all launches that play the release, so browsers load each file once. Null for a web course hosted elsewhere, whose unit has an absolute `Href`.',
      }),
    ),
    Data: Described<Record<string, RunTimeData>>('The initial run-time data of each unit, by UnitID.'),
    Evidence: Described<Record<string, Evidence>>('The recorded results of each unit, by UnitID.'),
    TreeState: Nullable(Type.String({ description: 'The activity tree that the page stored last.' })),
    Shared: Described<Required<Shared>>(
      "SCORM 2004: the global objectives (`globals`) and shared data (`buckets`) of the learner's other courses, as pairs of identifier and value.",
    ),
    LastUnitID: Nullable(Type.String()),
    ReturnURL: Nullable(
      Type.String({
        description: 'The URL to open when the learner leaves; if null, the page shows what was saved.',
      }),
    ),
    Receipt,
  },
  { title: 'PlayerSession' },
);
export type Session = Type.Static<typeof PlayerSession>;
