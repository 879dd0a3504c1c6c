import Type from 'typebox';
import { CountedPageOf, countQuery, PageOf, pageQuery } from '../../http/pagination.ts';
import { created, ok, path, route } from '../../http/routes.ts';
import { Fields, OneOf, Text } from '../../http/validation/schema.ts';
import { checkPassword, checkUser } from './check-user.ts';
import { setPassword } from './choose-password.ts';
import { creatingUser } from './create-user.ts';
import {
  AttributeFilter,
  CheckResult,
  Group,
  GroupFilter,
  LoginID,
  ManagerFilter,
  NewPassword,
  NewUser,
  PasswordCheck,
  User,
  UserChange,
} from './schemas.ts';
import { updateUser } from './update-users.ts';
import { listGroups, listUsers, readUser, userOrders } from './users.ts';

const params = Type.Object({ LoginID });
const common = { tag: 'Users', access: 'tenant' } as const;

export const userRoutes = [
  route('POST /user', 'createUser', {
    ...common,
    summary: 'Create a user',
    description:
      'Repeating the request is safe: if the user exists with the same data, the response is 200; if any field that you sent differs, it is 409 `user_exists`, which lists these fields. With `IfExists`, the user is updated instead.',
    example: ['FirstName', 'LastName', 'Email', 'GroupName', 'Password'],
    scope: 'users:write',
    body: NewUser,
    responses: {
      201: { description: 'Created.', schema: User },
      200: {
        description: 'The user already exists with the same data (a safe retry), or has been updated.',
        schema: User,
      },
    },
    problems: ['user_exists', 'user_not_found', 'password_not_hashed', 'login_throttled'],
    events: ['user.created', 'user.updated', 'user.disabled'],
    audits: ['administrator.created', 'user.access_changed'],
    submission: (ctx, { body }) =>
      creatingUser(ctx, body, ({ user, isNew }) =>
        isNew ? created(user, path`/user/${user.LoginID}`) : ok(user),
      ),
  }),
  route('GET /user', 'listUsers', {
    ...common,
    summary: 'List users',
    description:
      'All filters can be combined. Ordered by LoginID, unless you send `Order`. `name` orders by LastName, then FirstName, ignoring case and accents.',
    scope: 'users:read',
    query: Fields({
      ...pageQuery,
      ...countQuery,
      Order: Type.Optional(OneOf(userOrders, { description: 'Sorts by creation time or by name.' })),
      LoginID: Type.Optional(
        Text(8_000, {
          description:
            'One LoginID, or several separated by commas. If a LoginID contains a comma, send only that one.',
        }),
      ),
      GroupName: Type.Optional(GroupFilter),
      ManagerLoginID: Type.Optional(ManagerFilter),
      Attribute: Type.Optional(AttributeFilter),
      Email: Type.Optional(Text(320, { description: 'Exact match, ignoring case.' })),
      Enabled: Type.Optional(Type.Boolean()),
      Search: Type.Optional(
        Text(255, {
          description:
            'Words that must all be contained in the name, LoginID or Email, in any order and in any part of it: `uller ann` finds Anna Müller. Case and accents are ignored, and commas separate words. Without Order, a user with exactly this LoginID comes first.',
        }),
      ),
    }),
    responses: { 200: { description: 'A page of users.', schema: CountedPageOf(User) } },
    handle: async (ctx, { query }) => ok(await listUsers(ctx, query)),
  }),
  route('GET /group', 'listGroups', {
    ...common,
    summary: 'List the groups of users',
    description:
      'The distinct groups of all users, for filters and suggestions. A group exists as long as somebody is in it. To rename one, change the Groups of its users with POST /user/bulk, and the options and keys that name it.',
    scope: 'users:read',
    query: Fields({
      ...pageQuery,
      Search: Type.Optional(Text(255, { description: 'Beginning of the name; case-sensitive.' })),
    }),
    responses: { 200: { description: 'A page of groups, ordered by name.', schema: PageOf(Group) } },
    handle: async (ctx, { query }) => ok(await listGroups(ctx, query)),
  }),
  route('GET /user/{LoginID}', 'readUser', {
    ...common,
    summary: 'Read a user',
    description: 'The password is never returned.',
    scope: 'users:read',
    allowsLearners: true,
    params,
    responses: { 200: { description: 'The user.', schema: User } },
    problems: ['user_not_found'],
    handle: async (ctx, { params }) => ok(await readUser(ctx, { loginId: params.LoginID })),
  }),
  route('PUT /user/{LoginID}', 'updateUser', {
    ...common,
    summary: 'Change a user',
    description:
      'Fields that you leave out keep their values; `null` clears a field, except TimeFactor, where it removes all time limits. LoginID cannot be changed.',
    example: ['GroupName'],
    scope: 'users:write',
    params,
    body: UserChange,
    responses: { 200: { description: 'The changed user.', schema: User } },
    problems: ['user_not_found', 'login_id_immutable', 'password_not_hashed'],
    events: ['user.updated', 'user.disabled'],
    audits: ['user.access_changed'],
    handle: async (ctx, { params, body }) => ok(await updateUser(ctx, { ...body, loginId: params.LoginID })),
  }),
  route('GET /user/check/{LoginID}', 'checkUser', {
    ...common,
    summary: 'Check whether a user exists and is enabled',
    description: 'The status is always 200. For a user who does not exist, `Result` is -1.',
    scope: 'users:read',
    params,
    responses: {
      200: { description: '`Result`: 1 enabled, 0 disabled, -1 not found.', schema: CheckResult },
    },
    handle: async (ctx, { params }) => ok(await checkUser(ctx, { loginId: params.LoginID })),
  }),
  route('POST /user/check/{LoginID}', 'checkPassword', {
    ...common,
    summary: "Check a user's hashed password",
    description:
      'Send the password hashed with the same function as when the user was created. After ten wrong passwords for one user within 15 minutes the response is 429.',
    scope: 'users:read',
    params,
    body: PasswordCheck,
    responses: {
      200: {
        description: '`Result`: 1 valid, 0 disabled, -1 not found, -2 wrong password.',
        schema: CheckResult,
      },
    },
    problems: ['login_throttled', 'password_not_hashed'],
    events: [],
    prepare: (ctx, { params, body }) =>
      checkPassword(ctx, { loginId: params.LoginID, password: body.Password }),
    handle: async (_, { prepared }) => ok(prepared),
  }),
  route('PUT /user/password/{LoginID}', 'setPassword', {
    ...common,
    summary: 'Set a password for the pages of this service',
    description:
      "For administrators. Hash the password with the function that `GET /session/password/{TenantID}` returns. The user can sign in with this password even if the tenant has declared no hash function. The user's sessions, invitation and password resets end. Invite users instead if they can receive a link, so that nobody else knows their password.",
    scope: 'users:write',
    additionalScopes: ['users:admin'],
    params,
    body: NewPassword,
    responses: { 204: { description: 'The password has been set.' } },
    problems: ['user_not_found', 'password_not_hashed'],
    events: ['user.updated'],
    audits: ['user.access_changed'],
    handle: async (ctx, { params, body }) => {
      await setPassword(ctx, { ...body, loginId: params.LoginID });
      return { status: 204 };
    },
  }),
];
