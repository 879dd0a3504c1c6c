import Type from 'typebox';
import { type PageQuery, pageLimit, toPage } from '../../http/pagination.ts';
import { Address, Fields, Instant, Nullable, Text } from '../../http/validation/schema.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { filterCourses } from './courses.ts';
import { selectOffered } from './offers.ts';
import { CourseID } from './schemas.ts';

/** The fields of the course list of Cornerstone's content connectors that a course has. */
export const ContentItem = Fields(
  {
    ID: { ...CourseID, description: 'The CourseID.' },
    Title: Text(500),
    Description: Nullable(Text(20_000)),
    URL: Address(
      'Where the suite sends the learner: My courses, which marks this course or says that they are not enrolled on it. Statements to suites name the course by this address.',
    ),
    IsActive: Type.Boolean({ description: 'false for a retired course, which accepts no new enrolments.' }),
    Thumbnail: Nullable(Address('The ImageURL of the course.')),
    Languages: Nullable(Type.String({ description: 'BCP 47 language tag.' })),
    LastModifiedUTC: Instant('When the course was changed.'),
  },
  { title: 'ContentItem' },
);
export type ContentItem = Type.Static<typeof ContentItem>;

/** Where a learning suite sends a learner, and the ID of the course in statements to it: some suites compare the two. */
export const courseAddress = ({ config }: Pick<TenantContext, 'config'>, courseId: string) =>
  `${config.baseUrl}/console/?course=${encodeURIComponent(courseId)}`;

export async function listContent(ctx: TenantContext, input: PageQuery) {
  const rows = await filterCourses(selectOffered(ctx), input).execute();
  return toPage(
    rows,
    pageLimit(input),
    (row) => row.course_id,
    (row): ContentItem => ({
      ID: row.course_id,
      Title: row.title,
      Description: row.description,
      URL: courseAddress(ctx, row.course_id),
      IsActive: row.status === 'published',
      Thumbnail: row.image_url,
      Languages: row.language,
      LastModifiedUTC: row.updated_at.toISOString(),
    }),
  );
}
