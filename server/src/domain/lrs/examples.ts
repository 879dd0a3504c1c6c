/** Examples in the API description. A test sends them. */
export const exampleStatement = {
  id: '12345678-1234-5678-8234-567812345678',
  actor: { objectType: 'Agent', account: { homePage: 'https://hr.example.com', name: 'u-1001' } },
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { 'en-GB': 'completed' } },
  object: {
    objectType: 'Activity',
    id: 'https://courses.example.com/fire-safety',
    definition: { name: { 'en-GB': 'Fire safety' } },
  },
  result: { completion: true, duration: 'PT12M' },
};

/** The same statement, as the LRS returns it. */
export const storedExample = {
  ...exampleStatement,
  authority: {
    objectType: 'Agent',
    account: { homePage: 'https://lectern.example.com', name: '01994a5e-7c00-7000-8000-000000000001' },
  },
  version: '2.0.0',
  stored: '2026-01-31T09:00:00.000Z',
  timestamp: '2026-01-31T09:00:00.000Z',
};

export const exampleActivity = exampleStatement.object;

export const exampleState = { bookmark: 'page-3' };
