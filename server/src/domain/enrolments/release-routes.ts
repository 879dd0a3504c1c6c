import Type from 'typebox';
import { ok, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { makeCurrent } from '../catalogue/releases.ts';
import { CourseID, ReleaseChange, ReleaseNumber } from '../catalogue/schemas.ts';
import { planRelease, ReleaseEffect } from './plan-release.ts';

export const releaseRoutes = [
  route({
    tag: 'Authoring',
    access: 'operator',
    method: 'PUT',
    path: '/course/{CourseID}/release/{Release}',
    name: 'putRelease',
    summary: 'Set a release as current',
    description:
      'Switches to an earlier or later release. Learners who have already started stay on their release. With `Plan=true`, you first see how many learners this affects.',
    scope: 'catalogue:write',
    params: Type.Object({ CourseID, Release: ReleaseNumber }),
    query: Fields({
      Plan: Type.Optional(
        Type.Boolean({
          description:
            'If true, returns the release as it would be, with the number of learners affected, and changes nothing.',
        }),
      ),
    }),
    body: ReleaseChange,
    responses: { 200: { description: 'The release, which is now current.', schema: ReleaseEffect } },
    problems: ['course_not_found', 'release_not_found'],
    events: ['course.released'],
    audits: ['release.made_current'],
    handle: async (ctx, { params, query }) => {
      const input = { courseId: params.CourseID, release: params.Release };
      if (query.Plan) return ok(await planRelease(ctx, input));
      return ok({ ...(await makeCurrent(ctx, input)), Affected: null });
    },
  }),
];
