import type Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import {
  createDispatch,
  deleteDispatch,
  listDispatches,
  listLearners,
  readDispatch,
  updateDispatch,
} from './dispatches.ts';
import { openDispatch, openPath } from './open.ts';
import { readPackage } from './read-package.ts';
import {
  Dispatch,
  DispatchChange,
  DispatchLearner,
  dispatchParams,
  NewDispatch,
  OpenedDispatch,
  OpenForm,
} from './schemas.ts';

const common = { tag: 'Dispatch', access: 'tenant', scope: 'connections:write' } as const;
const one = { params: dispatchParams } as const;

/** Packages are on any origin. They have the key, and the request sends no cookies. */
const anyOrigin = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };

export const dispatchRoutes = [
  route('POST /dispatch', 'createDispatch', {
    ...common,
    summary: 'Give a course to another LMS',
    description:
      'Another organisation imports a small package into its LMS. The course plays from here, and its results are here and there.',
    example: ['Seats'],
    body: NewDispatch,
    responses: { 201: { description: 'The dispatch.', schema: Dispatch } },
    problems: ['release_not_found', 'option_not_found'],
    events: [],
    audits: ['dispatch.created'],
    handle: async (ctx, { body }) => {
      const dispatch = await createDispatch(ctx, body);
      return created(dispatch, path`/dispatch/${dispatch.DispatchID}`);
    },
  }),
  route('GET /dispatch', 'listDispatches', {
    ...common,
    summary: 'List dispatches',
    description: 'In the order in which they were created.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of dispatches.', schema: PageOf(Dispatch) } },
    handle: async (ctx, { query }) => ok(await listDispatches(ctx, query)),
  }),
  route('GET /dispatch/{DispatchID}', 'readDispatch', {
    ...common,
    ...one,
    summary: 'Read a dispatch',
    description: 'With the number of seats taken.',
    responses: { 200: { description: 'The dispatch.', schema: Dispatch } },
    problems: ['dispatch_not_found'],
    handle: async (ctx, { params }) => ok(await readDispatch(ctx, { dispatchId: params.DispatchID })),
  }),
  route('PUT /dispatch/{DispatchID}', 'updateDispatch', {
    ...common,
    ...one,
    summary: 'Change, stop or resume a dispatch',
    description:
      'Fields that you leave out keep their values. Packages that have been imported follow the change.',
    example: ['Enabled'],
    body: DispatchChange,
    responses: { 200: { description: 'The changed dispatch.', schema: Dispatch } },
    problems: ['release_not_found', 'dispatch_not_found'],
    events: [],
    audits: ['dispatch.changed'],
    handle: async (ctx, { params, body }) =>
      ok(await updateDispatch(ctx, { ...body, dispatchId: params.DispatchID })),
  }),
  route('DELETE /dispatch/{DispatchID}', 'deleteDispatch', {
    ...common,
    ...one,
    summary: 'Delete a dispatch',
    description: 'Its packages no longer open the course. Users, enrolments and results stay.',
    responses: { 200: { description: 'The deleted dispatch.', schema: Dispatch } },
    problems: ['dispatch_not_found'],
    events: [],
    audits: ['dispatch.deleted'],
    handle: async (ctx, { params }) => ok(await deleteDispatch(ctx, { dispatchId: params.DispatchID })),
  }),
  route('GET /dispatch/{DispatchID}/package', 'readDispatchPackage', {
    ...common,
    summary: 'Download the package of a dispatch',
    description:
      'A zip of a few kB to import into the other LMS. Anyone holding it can open the course as any of its learners, until the dispatch ends.',
    params: dispatchParams,
    responses: { 200: { description: 'The package.', type: 'application/zip' } },
    problems: ['dispatch_not_found'],
    handle: async (ctx, { params }) => {
      const { name, content } = await readPackage(ctx, { dispatchId: params.DispatchID });
      const headers = {
        'Content-Type': 'application/zip',
        'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
      };
      return { status: 200, body: content, headers };
    },
  }),
  route('GET /dispatch/{DispatchID}/learner', 'listDispatchLearners', {
    ...common,
    summary: 'List the learners of a dispatch',
    description: 'Who has opened the course, and when. Each takes one of the seats.',
    params: dispatchParams,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of learners.', schema: PageOf(DispatchLearner) } },
    problems: ['dispatch_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listLearners(ctx, { ...query, dispatchId: params.DispatchID })),
  }),
  route(`POST ${openPath}`, 'openDispatch', {
    summary: 'Open a course from the package of a dispatch',
    description:
      'Packages send it, for the learner of their LMS. Creates the user, whose `LoginID` is `dispatch:`, the DispatchID and their ID there, and the enrolment. An enrolment that has ended is not replaced. If the course cannot be opened, the response says why.',
    tag: 'Dispatch',
    access: 'anyone',
    scope: null,
    forms: true,
    body: OpenForm,
    responses: { 200: { description: 'The player, or the reason.', schema: OpenedDispatch } },
    events: ['user.created', 'user.updated', 'enrolment.created'],
    handle: async (ctx, { request, body }) => {
      const text = (name: keyof Type.Static<typeof OpenForm>) => fieldOf(body as Form, name);
      const learner = { learner: text('learner'), first: text('first'), last: text('last') };
      const opened = await openDispatch(ctx, request, { ...learner, key: text('key'), back: text('back') });
      return { status: 200, body: opened, headers: anyOrigin };
    },
  }),
];
