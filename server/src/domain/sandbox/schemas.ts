import Type from 'typebox';
import { Duration, Fields, Instant, OneOf } from '../../http/validation/schema.ts';

export const ClockMove = Fields(
  { Advance: Duration('How far to move the clock forward, as an ISO 8601 duration such as P30D.') },
  { title: 'ClockMove' },
);
export type ClockMove = Type.Static<typeof ClockMove>;

export const Clock = Fields(
  { Now: Instant("The tenant's time. It continues to run.") },
  { title: 'Clock', description: 'The clock of a test tenant.' },
);
export type Clock = Type.Static<typeof Clock>;

export const Play = Fields(
  {
    Status: OneOf(['passed', 'failed', 'completed', 'incomplete'], {
      description:
        'What each unit reports. A web page reports only its completion: `passed` means completed, and `failed` means incomplete. A cmi5 AU reports `passed` and `completed` for `passed`, and only `failed` or `completed` for these.',
    }),
    Score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          'The score of each unit. A mastery score in the package decides whether it is passed. cmi5 AUs report a score only with `passed` and `failed`.',
      }),
    ),
  },
  { title: 'Play', description: 'The result that the robot reports.' },
);
export type Play = Type.Static<typeof Play>;
