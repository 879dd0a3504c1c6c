import Type from 'typebox';
import { Fields, Nullable } from '../../platform/http/schema.ts';
import { Release } from '../catalogue/schemas.ts';

/** The maximum for a plan, because visiting a million enrolments takes seconds. */
export const maxVisited = 100_000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** A release that was set as current, or its plan. */
export const ReleaseEffect = Fields(
  {
    ...Release.properties,
    Affected: Nullable(
      Fields(
        {
          NotStarted: Count(
            'Learners who get this release on their next launch, because they have not started or because that launch starts another attempt.',
          ),
          InProgress: Count(
            'Learners who have started but not completed the course. They stay on the release that they started.',
          ),
          Completed: Count(
            'Learners who have completed the course. They keep their release and their results.',
          ),
          More: Type.Boolean({
            description: `true if the course has more enrolments than the ${maxVisited} that were read, so the actual numbers may be higher.`,
          }),
        },
        {
          description:
            'In a plan, the learners of all tenants whose enrolments have not ended; null after the change.',
        },
      ),
    ),
  },
  { title: 'ReleaseEffect' },
);
export type ReleaseEffect = Type.Static<typeof ReleaseEffect>;
