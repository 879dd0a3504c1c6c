import { Problem } from '../../platform/errors.ts';

export function courseNotFound(): Problem {
  return new Problem(
    'course_not_found',
    'There is no course with this CourseID. See GET /catalogue/course.',
    {
      param: 'CourseID',
    },
  );
}

/** Turns a foreign key's refusal of a DELETE (PostgreSQL error 23503) into `problem`. */
export function whenInUse(problem: Problem): (error: unknown) => never {
  return (error) => {
    throw (error as { code?: string }).code === '23503' ? problem : error;
  };
}
