import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsFor } from './headings.ts';
import { findSameEmails, warningsOf } from './same-emails.ts';
import { openSource } from './source.ts';

const inTime = () => AbortSignal.timeout(10_000);
const none = () => false;

async function found(text: string, isLeftOut: (row: number) => boolean = none) {
  const source = await openSource(new File([text], 'staff.csv'), 'users', inTime());
  const input = { subject: 'users', fields: fieldsFor('users', source.columns) } as const;
  return findSameEmails(source, input, isLeftOut, inTime());
}

const text = [
  'User ID,Email',
  'ann,office@acme.example',
  'bob, Office@Acme.example ',
  'cid,n/a',
  'dan,-',
  'ann,office@acme.example',
  'eve,eve@acme.example',
].join('\n');

test('rows with the address of another user on an earlier line are found', async () => {
  const warnings = [...(await found(text)).values()];
  assert.deepEqual(warnings, [
    {
      ...{ code: 'same_email_in_file', row: 1, line: 3, loginId: 'bob', value: 'Office@Acme.example' },
      ...{ otherLine: 2, other: 'ann' },
    },
  ]);
  assert.equal((await found(text, (row) => row === 1)).size, 0);
  assert.equal((await found('User ID,Name\nann,x\nbob,x')).size, 0);
});

test('only rows that would be imported have a warning, and the file comes before the service', async () => {
  const ofFile = await found(text);
  const planned = [
    { Row: 1, Status: 201, LoginID: 'ann', SameEmailLoginID: 'old' },
    { Row: 2, Status: 201, LoginID: 'bob', SameEmailLoginID: 'old' },
    { Row: 3, Status: 422, LoginID: 'cid', SameEmailLoginID: 'old' },
    { Row: 4, Status: 200, LoginID: 'dan' },
    { Row: 5, Status: 201, LoginID: '1.2E+11', Damaged: ['LoginID'] },
  ];
  const warnings = warningsOf(planned, { from: 0 }, ofFile, (row) => row + 2);
  assert.deepEqual(
    warnings.map(({ code, line, other }) => [code, line, other]),
    [
      ['same_email_user', 2, 'old'],
      ['same_email_in_file', 3, 'ann'],
      ['damaged', 6, ''],
    ],
  );
});
