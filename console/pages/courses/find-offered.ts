import type { Api } from '../../api/api.tsx';
import type { Course } from './values.tsx';

/** Finds an offered course in the list, because the API returns a single course only for a given learner. */
export async function findOffered({ client }: Api, courseId: string): Promise<Course | null> {
  for (let Cursor: string | null = ''; Cursor !== null; ) {
    const query: { Limit: number; Search: string; Cursor?: string } = {
      Limit: 200,
      Search: courseId,
      ...(Cursor ? { Cursor } : {}),
    };
    const { data, error } = await client.GET('/catalogue/course', { params: { query } });
    if (!data) throw error;
    const found = data.Items.find(({ CourseID }) => CourseID === courseId);
    if (found) return found;
    Cursor = data.NextCursor;
  }
  return null;
}
