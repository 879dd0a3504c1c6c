import Type from 'typebox';
import { PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields } from '../../http/validation/schema.ts';
import type { Form } from '../../http/validation/validation.ts';
import { chooseCourses } from './deep-link.ts';
import { receiveLaunch } from './launch.ts';
import { listLaunches } from './launches.ts';
import { startLogin } from './login.ts';
import { NoticesBody, receiveNotices } from './notices.ts';
import {
  checkUrls,
  createPlatform,
  deletePlatform,
  listPlatforms,
  readPlatform,
  updatePlatform,
} from './platforms.ts';
import { newRegistrationLink, RegistrationLink, registerPlatform } from './registration.ts';
import {
  LaunchForm,
  LoginForm,
  NewPlatform,
  Platform,
  PlatformChange,
  PlatformLaunch,
  platformParams,
  SelectionForm,
} from './schemas.ts';

const common = { tag: 'Platforms', access: 'tenant', scope: 'connections:write' } as const;
const one = { params: platformParams } as const;
const open = { tag: 'Platforms', access: 'anyone', scope: null, page: true } as const;
const html = (description: string) => ({ description, type: 'text/html' });

/** ID tokens with many custom parameters are large. */
const formBytes = 64 * 1024;
const receiving = { ...open, forms: true, bodyLimit: formBytes } as const;

const launchAnswers = {
  200: html('A page on which courses are chosen, or one that reads from the storage of the platform.'),
  303: { description: 'Redirects to the player on the content origin.' },
  400: html('A page that says what the message lacks.'),
  401: html('A page that says why the launch was rejected, or that offers a window of its own.'),
  403: html('A page that says why the course cannot be opened.'),
  404: html('A page that says that the platform is not registered.'),
  502: html("A page that says that the platform's keys could not be read."),
};

const loginAnswers = {
  200: html('A page that stores a value in the platform, and then continues to it.'),
  303: {
    description:
      "Redirects to the platform's URL for authentication requests; in frames, first to itself, to try a cookie.",
  },
  400: html('A page that says that the client is not named.'),
  401: html('A page that opens the course in a window, because the browser stores nothing in frames.'),
  404: html('A page that says that the platform is not registered.'),
};

const launchEvents = ['user.created', 'user.updated', 'enrolment.created', 'enrolment.expired'] as const;

export const ltiRoutes = [
  route('POST /platform', 'createPlatform', {
    ...common,
    summary: 'Register a learning platform (LTI 1.3)',
    description:
      'Lets an LMS such as Moodle, Canvas or Blackboard open your courses. The response has the URLs to enter there. Launching a course creates the user, whose `LoginID` is `lti:`, the issuer and their ID in the platform, and the enrolment.',
    body: NewPlatform,
    responses: { 201: { description: 'The platform.', schema: Platform } },
    problems: ['platform_exists', 'webhook_address_refused'],
    events: [],
    audits: ['platform.created'],
    prepare: (ctx, { body }) => checkUrls(ctx, body, null),
    handle: async (ctx, { body }) => {
      const platform = await createPlatform(ctx, body);
      return created(platform, path`/platform/${platform.PlatformID}`);
    },
  }),
  route('GET /platform', 'listPlatforms', {
    ...common,
    summary: 'List learning platforms',
    description: 'In the order in which they were registered.',
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of platforms.', schema: PageOf(Platform) } },
    handle: async (ctx, { query }) => ok(await listPlatforms(ctx, query)),
  }),
  route('GET /platform/{PlatformID}', 'readPlatform', {
    ...common,
    ...one,
    summary: 'Read a learning platform',
    description: '`Tool` has the URLs to enter in the platform.',
    responses: { 200: { description: 'The platform.', schema: Platform } },
    problems: ['platform_not_found'],
    handle: async (ctx, { params }) => ok(await readPlatform(ctx, { platformId: params.PlatformID })),
  }),
  route('PUT /platform/{PlatformID}', 'updatePlatform', {
    ...common,
    ...one,
    summary: 'Change a learning platform',
    description: 'Fields that you leave out keep their values.',
    example: ['Name'],
    body: PlatformChange,
    responses: { 200: { description: 'The changed platform.', schema: Platform } },
    problems: ['platform_not_found', 'platform_exists', 'webhook_address_refused'],
    events: [],
    audits: ['platform.changed'],
    prepare: (ctx, { params, body }) => checkUrls(ctx, body, params.PlatformID),
    handle: async (ctx, { params, body }) =>
      ok(await updatePlatform(ctx, { ...body, platformId: params.PlatformID })),
  }),
  route('DELETE /platform/{PlatformID}', 'deletePlatform', {
    ...common,
    ...one,
    summary: 'Delete a learning platform',
    description: 'It can no longer open courses, and its log of launches is deleted. Users and results stay.',
    responses: { 200: { description: 'The deleted platform.', schema: Platform } },
    problems: ['platform_not_found'],
    events: [],
    audits: ['platform.deleted'],
    handle: async (ctx, { params }) => ok(await deletePlatform(ctx, { platformId: params.PlatformID })),
  }),
  route('GET /platform/{PlatformID}/launch', 'listPlatformLaunches', {
    ...common,
    summary: 'List the launches from a learning platform',
    description: 'The newest first, also rejected ones with their reasons, for 90 days.',
    params: platformParams,
    query: Fields(pageQuery),
    responses: { 200: { description: 'A page of launches.', schema: PageOf(PlatformLaunch) } },
    problems: ['platform_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listLaunches(ctx, { ...query, platformId: params.PlatformID })),
  }),
  route('POST /platform/registration', 'createPlatformRegistration', {
    ...common,
    summary: 'Create a link with which a learning platform registers itself (LTI Dynamic Registration)',
    description:
      'An administrator of the LMS enters the link there. The LMS and this service then exchange their URLs and the client ID, and the platform appears in your list. The link works once, for 50 minutes.',
    responses: { 200: { description: 'The link.', schema: RegistrationLink } },
    events: [],
    audits: ['platform.invited'],
    handle: async (ctx) => ok(await newRegistrationLink(ctx)),
  }),
  route('GET /lti/register', 'registerPlatform', {
    ...open,
    summary: 'Register a learning platform that has opened a registration link',
    description:
      'The page for LTI Dynamic Registration. It reads the configuration of the platform, registers this service there, and closes itself.',
    query: Fields({
      token: Type.Optional(Type.String({ description: 'From the registration link.' })),
      openid_configuration: Type.Optional(
        Type.String({ description: 'The URL of the platform’s configuration; the platform adds it.' }),
      ),
      registration_token: Type.Optional(
        Type.String({ description: 'Authorizes the registration; the platform adds it.' }),
      ),
    }),
    responses: {
      200: html('A page that says that the platform is registered, and closes itself.'),
      400: html('A page that says why the platform could not be registered.'),
    },
    audits: ['platform.created'],
    handle: (ctx, { request, query }) => registerPlatform(ctx, request, query),
  }),
  route('GET /lti/login', 'startLtiLogin', {
    ...open,
    summary: 'Start a launch from a learning platform (OIDC third-party login)',
    description:
      'Platforms open it in the browser. It redirects to the platform, which says who is signed in.',
    query: Type.Partial(LoginForm),
    forms: true,
    responses: loginAnswers,
    handle: (ctx, { request, query }) => startLogin(ctx, request, query as Form),
  }),
  route('POST /lti/login', 'postLtiLogin', {
    ...receiving,
    summary: 'Start a launch from a learning platform (OIDC third-party login, as a form)',
    description: 'The same as GET, for platforms that send a form.',
    example: ['client_id'],
    body: LoginForm,
    responses: loginAnswers,
    events: [],
    handle: (ctx, { request, body }) => startLogin(ctx, request, body as Form),
  }),
  route('POST /lti/launch', 'launchFromPlatform', {
    ...receiving,
    summary: 'Open a course from a learning platform (LTI 1.3)',
    description:
      'Checks the ID token, creates or finds the user and the enrolment, and opens the course. The course is named by the custom parameter `course`, or by `course` in the target link URI; `option` names one of several enrolment options.',
    body: LaunchForm,
    responses: launchAnswers,
    events: launchEvents,
    handle: (ctx, { request, body }) => receiveLaunch(ctx, request, body as Form),
  }),
  route('POST /lti/deep-link', 'chooseCoursesForPlatform', {
    ...receiving,
    summary: 'Choose courses for a learning platform (LTI Deep Linking 2.0)',
    description:
      'The page that a teacher gets in the platform sends this form. It searches the catalogue, or sends the chosen courses to the platform. A form with an ID token is handled like `POST /lti/launch`.',
    body: SelectionForm,
    responses: launchAnswers,
    events: launchEvents,
    handle: (ctx, { request, body }) => {
      const form = body as Form;
      return typeof form.id_token === 'string'
        ? receiveLaunch(ctx, request, form)
        : chooseCourses(ctx, request, form);
    },
  }),
  route('POST /lti/notice', 'receiveLtiNotices', {
    tag: 'Platforms',
    access: 'anyone',
    scope: null,
    summary: 'Receive notices of a learning platform (LTI Platform Notification Service 1.0)',
    description:
      'Lectern orders notices about copied courses at the first launch from a platform that offers them. They appear in the log of launches.',
    body: NoticesBody,
    responses: { 204: { description: 'All notices were received.' } },
    events: [],
    handle: async (ctx, { body }) => {
      await receiveNotices(ctx, body);
      return { status: 204 };
    },
  }),
];
