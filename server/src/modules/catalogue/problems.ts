import { codeOf } from '../../platform/error-code.ts';
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

export function releaseNotFound(): Problem {
  return new Problem(
    'release_not_found',
    'The course has no release with this number. See GET /course/{CourseID}/release.',
    { param: 'Release' },
  );
}

/** Turns a foreign key's refusal of a DELETE (PostgreSQL error 23503) into `problem`. */
export function whenInUse(problem: Problem): (error: unknown) => never {
  return (error) => {
    throw codeOf(error) === '23503' ? problem : error;
  };
}
