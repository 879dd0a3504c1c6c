import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { startService, type TestService } from '../server/test/support/service.ts';
import { newCourse, newTenant, unique } from '../server/test/support/tenant.ts';

// Four generators make clients from openapi.json, one of them in C#. Each client is compiled with a short program, which
// then runs against a service.

const contract = join(import.meta.dirname, '../openapi.json');
const generators = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  'swagger-typescript-api': '13.13.0',
  typescript: '5.9.3',
  // Its .NET Framework program runs on Mono; that of later versions does not.
  nswag: '13.20.0',
};

type Generator = { command: string[]; program: string };

/** What each program prints after it has created a user twice, enrolled her and read the list. */
const printed = ['201', 'enrolled', 'user_exists', '2 of 2', 'true'];

const begin = `
const [baseUrl = '', key = '', LoginID = '', CourseID = ''] = process.argv.slice(2);
const headers = { Authorization: 'Bearer ' + key };
declare const process: { argv: string[] };
`;

const clients: Record<string, Generator> = {
  'openapi-typescript': {
    // Otherwise fields with a default are required in requests.
    command: ['openapi-typescript', contract, '--default-non-nullable=false', '-o', 'openapi-typescript.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript';
${begin}
async function run() {
  const client = createClient<paths>({ baseUrl, headers });
  const made = await client.POST('/user', { body: { LoginID, FirstName: 'Ada' } });
  console.log(made.response.status);
  // @ts-expect-error The field is LoginID.
  made.data?.LoginId;
  const enrolled = await client.POST('/enrol/{LoginID}/{CourseID}', { params: { path: { LoginID, CourseID } } });
  const status: components['schemas']['EnrolmentStatus'] | undefined = enrolled.data?.Status;
  console.log(status);
  const again = await client.POST('/user', { body: { LoginID, FirstName: 'Grace' } });
  if (again.error?.code === 'user_exists') console.log(again.error.code);
  // @ts-expect-error No error has this code.
  if (again.error?.code === 'user_exits') console.log('never');
  const page = await readPage({ Count: true, Limit: 1 });
  const rest = await readPage({ Cursor: page.NextCursor ?? '' });
  console.log(page.Items.length + rest.Items.length + ' of ' + page.Count?.Records);
  console.log(page.Items.concat(rest.Items).some((user) => user.FirstName === 'Ada'));
  // Lists are also CSV and NDJSON, which are strings.
  async function readPage(query: NonNullable<paths['/user']['get']['parameters']['query']>) {
    const { data = '' } = await client.GET('/user', { params: { query } });
    if (typeof data === 'string') throw new Error(data);
    const page: components['schemas']['CountedUserPage'] = data;
    return page;
  }
}
run();
`,
  },
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '-i', contract, '-o', 'hey-api'],
    program: `
import { createUser, enrol, listUsers } from './hey-api';
import { createClient } from './hey-api/client';
import type { CountedUserPage, EnrolmentStatus, Tenant } from './hey-api';
${begin}
async function run() {
  const client = createClient({ baseUrl, headers });
  const made = await createUser({ client, body: { LoginID, FirstName: 'Ada' } });
  console.log(made.response?.status);
  // @ts-expect-error The field is LoginID.
  made.data?.LoginId;
  const enrolled = await enrol({ client, path: { LoginID, CourseID } });
  const status: EnrolmentStatus | undefined = enrolled.data?.Status;
  console.log(status);
  const again = await createUser({ client, body: { LoginID, FirstName: 'Grace' } });
  if (again.error?.code === 'user_exists') console.log(again.error.code);
  // @ts-expect-error No error has this code.
  if (again.error?.code === 'user_exits') console.log('never');
  const page: CountedUserPage | undefined = (await listUsers({ client, query: { Count: true, Limit: 1 } })).data as CountedUserPage;
  const rest = (await listUsers({ client, query: { Cursor: page.NextCursor ?? '' } })).data as CountedUserPage;
  console.log(page.Items.length + rest.Items.length + ' of ' + page.Count?.Records);
  console.log(page.Items.concat(rest.Items).some((user) => user.FirstName === 'Ada'));
  const tenant: Tenant['TenantID'] | null = null;
  void tenant;
}
run();
`,
  },
  'swagger-typescript-api': {
    command: [
      'swagger-typescript-api',
      'generate',
      '-p',
      contract,
      '-o',
      '.',
      '-n',
      'swagger-typescript-api.ts',
    ],
    program: `
import { Api, type CountedUserPage, type EnrolmentStatus } from './swagger-typescript-api';
${begin}
async function run() {
  const api = new Api({ baseUrl, baseApiParams: { headers, format: 'json' } });
  const made = await api.user.createUser({ LoginID, FirstName: 'Ada' });
  console.log(made.status);
  // @ts-expect-error The field is LoginID.
  made.data.LoginId;
  const status: EnrolmentStatus = (await api.enrol.enrol(LoginID, CourseID, {})).data.Status;
  console.log(status);
  const again = await api.user.createUser({ LoginID, FirstName: 'Grace' }).catch((failed) => failed);
  console.log(again.error.code);
  const page: CountedUserPage = (await api.user.listUsers({ Count: true, Limit: 1 })).data;
  const rest = (await api.user.listUsers({ Cursor: page.NextCursor ?? '' })).data;
  console.log(page.Items.length + rest.Items.length + ' of ' + page.Count?.Records);
  console.log(page.Items.concat(rest.Items).some((user) => user.FirstName === 'Ada'));
}
run();
`,
  },
};

let service: TestService;
let folder: string;

const execute = async (program: string, args: string[]) =>
  (await promisify(execFile)(program, args, { cwd: folder, maxBuffer: 1e8, timeout: 600_000 })).stdout;
/** The packages' programs run on this Node.js, not on the one that npm finds. */
const tool = ([name = '', ...args]: string[]) =>
  execute(process.execPath, [join(folder, 'node_modules/.bin', name), ...args]);

// `.ci/run full` sets ALL_LANGUAGES. Elsewhere there may be no registry to install the generators from.
const skip = !process.env.ALL_LANGUAGES && 'installs generators from npm; set ALL_LANGUAGES to run it';

before(async () => {
  if (skip) return;
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'lectern-generated-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: generators }));
  await execute('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent']);
  const options = {
    compilerOptions: {
      ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'nodenext', types: [] },
      ...{ strict: true, skipLibCheck: true, outDir: 'out' },
    },
    include: ['*.ts', 'hey-api'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  for (const [name, { command, program }] of Object.entries(clients)) {
    await tool(command);
    writeFileSync(join(folder, `${name.replace(/\W/g, '-')}-program.ts`), program);
  }
});
after(async () => {
  await service?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('clients from three generators compile, with the names of the document and without numbered ones', {
  skip,
}, async () => {
  await tool(['tsc', '-p', '.']).catch((error) => assert.fail(error.stdout));
  for (const file of ['hey-api/types.gen.ts', 'swagger-typescript-api.ts', 'openapi-typescript.ts']) {
    const names = readFileSync(join(folder, file), 'utf8').matchAll(
      /^export (?:type|interface|enum) (\w+)/gm,
    );
    const numbered = [...names].map(([, name = '']) => name).filter((name) => /\d$/.test(name));
    assert.deepEqual(numbered, [], file);
  }
});

for (const name of Object.keys(clients))
  test(`a client generated by ${name} creates, enrols, reads pages and understands errors`, {
    skip,
  }, async () => {
    const { key } = await newTenant(service);
    const course = await newCourse(service);
    await service.api('POST', '/user', { LoginID: 'first' }, key);
    const args = [service.baseUrl, key, unique('ada'), course];
    const output = await execute(process.execPath, [`out/${name.replace(/\W/g, '-')}-program.js`, ...args]);
    assert.deepEqual(output.trim().split('\n'), printed);
  });

const csharp = `
using System;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using Lectern;

public static class Program {
  public static void Main(string[] args) { Run(args[0], args[1], args[2], args[3]).GetAwaiter().GetResult(); }

  static async Task Run(string baseUrl, string key, string login, string course) {
    var http = new HttpClient();
    http.DefaultRequestHeaders.Add("Authorization", "Bearer " + key);
    var client = new LecternClient(http) { BaseUrl = baseUrl, ReadResponseAsString = true };
    User made = await client.CreateUserAsync(null, null, new NewUser { LoginID = login, FirstName = "Ada" });
    Console.WriteLine(made.LoginID == login ? 201 : 0);
    Enrolment enrolled = await client.EnrolAsync(login, course, null, null, new EnrolRequest());
    Console.WriteLine(enrolled.Status == EnrolmentStatus.Enrolled ? "enrolled" : "");
    try { await client.CreateUserAsync(null, null, new NewUser { LoginID = login, FirstName = "Grace" }); }
    catch (ApiException error) when (error.StatusCode == 409) {
      Console.WriteLine(error.Response.Contains("user_exists") ? "user_exists" : error.Response);
    }
    CountedUserPage page = await client.ListUsersAsync(1, null, true, null, null, null, null, null, null, null, null, null);
    var rest = await client.ListUsersAsync(null, page.NextCursor, null, null, null, null, null, null, null, null, null, null);
    Console.WriteLine(page.Items.Count + rest.Items.Count + " of " + page.Count.Records);
    Console.WriteLine(page.Items.Concat(rest.Items).Any(user => user.FirstName == "Ada") ? "true" : "false");
  }
}
`;

test('a C# client generated by NSwag compiles, creates, enrols, reads pages and receives errors', {
  skip,
}, async () => {
  // With XML among its types, NSwag 13 writes a call for packages that does not compile.
  const document = JSON.parse(readFileSync(contract, 'utf8'));
  const { content } = document.paths['/course/{CourseID}/package'].put.requestBody;
  for (const type of ['application/xml', 'text/xml']) delete content[type];
  writeFileSync(join(folder, 'without-xml.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'Program.cs'), csharp);
  const nswag = join(folder, 'node_modules/nswag/bin/binaries/Win');
  copyFileSync(join(nswag, 'Newtonsoft.Json.dll'), join(folder, 'Newtonsoft.Json.dll'));
  await execute('mono', [
    ...[join(nswag, 'NSwag.exe'), 'openapi2csclient', '/input:without-xml.json', '/output:Client.cs'],
    // Without it, a request has the first value of each list and the year 1 for each time that is left out.
    ...['/namespace:Lectern', '/className:LecternClient', '/generateOptionalPropertiesAsNullable:true'],
  ]);
  const libraries = ['Net.Http', 'Runtime.Serialization', 'ComponentModel.DataAnnotations'];
  await execute('mcs', [
    ...['-out:program.exe', '-r:Newtonsoft.Json.dll', ...libraries.map((name) => `-r:System.${name}.dll`)],
    ...['Client.cs', 'Program.cs'],
  ]);
  const { key } = await newTenant(service);
  const course = await newCourse(service);
  await service.api('POST', '/user', { LoginID: 'first' }, key);
  const output = await execute('mono', ['program.exe', service.baseUrl, key, unique('ada'), course]);
  assert.deepEqual(output.trim().split('\n'), printed);
});
