/** Examples in the description, which a test sends. */
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

export const exampleState = { bookmark: 'page-3' };
