// Repeats the journeys that depend on origins, with one origin per course.
process.env.TEST_CONTENT_URL = 'http://*.localhost';

for (const journey of ['phishing', 'saving']) await import(`./${journey}.test.ts`);
