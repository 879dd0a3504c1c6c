import { search, testTasks } from './everyday-tasks.ts';

/** What administrators and operators do now and then. */
testTasks([
  {
    name: 'List who has not started a course',
    clicks: 5,
    steps: [
      ['link', 'Enrolments'],
      ['choose', 'Status', 'not_started'],
      ['fill', 'Course', 'fire'],
      ['option', /^Fire safety/],
      ['see', 'Gil Gone'],
    ],
  },
  {
    name: 'Create a person',
    clicks: 3,
    steps: [
      ['point', 'People'],
      ['link', 'Create user'],
      ['fill', 'First name', 'Zoe'],
      ['fill', 'Last name', 'Zimmer'],
      ['button', 'Create user'],
      ['see', 'Registered'],
    ],
  },
  {
    name: 'Correct an email address',
    clicks: 4,
    steps: [
      ...search('edit kay known'),
      ['press', 'Enter'],
      ['fill', 'Email', 'kay.known@example.com'],
      ['button', 'Save'],
      ['see', 'Kay Known saved'],
    ],
  },
  {
    name: 'Disable an account',
    clicks: 3,
    steps: [
      ...search('disable ian idle'),
      ['press', 'Enter'],
      ['button', 'Disable account'],
      ['see', 'This account is disabled'],
    ],
  },
  {
    name: 'Move a person to another group',
    clicks: 4,
    steps: [
      ...search('edit mia move'),
      ['press', 'Enter'],
      ['fill', 'Groups', 'Sales'],
      ['button', 'Save'],
      ['see', 'Office, Sales'],
    ],
  },
  {
    name: 'Erase a person',
    clicks: 4,
    steps: [
      ...search('erase ned new'),
      ['press', 'Enter'],
      ['fill', 'To confirm, type the LoginID: ned.new', 'ned.new'],
      ['button', 'Erase permanently'],
      ['see', 'Receipt'],
    ],
  },
  {
    name: 'Withdraw an enrolment',
    clicks: 5,
    steps: [
      ...search('gil gone'),
      ['option', /^Fire safety/],
      ['button', 'Change access'],
      ['radio', 'Withdraw'],
      ['button', 'Withdraw'],
      ['see', 'Gil Gone cannot start'],
    ],
  },
  {
    name: 'Let someone start over',
    clicks: 5,
    steps: [
      ...search('ray reset'),
      ['option', /^Fire safety/],
      ['button', 'Change access'],
      ['radio', 'Start over'],
      ['button', 'Start over'],
      ['see', 'Ray Reset has a newer enrolment on this course'],
    ],
  },
  {
    name: 'Record a result from elsewhere',
    clicks: 9,
    steps: [
      ...search('pia pass'),
      ['option', /^Fire safety/],
      ['button', 'Override result'],
      ['choose', 'Completion', 'completed'],
      ['choose', 'Success', 'passed'],
      ['fill', 'Reason', 'Classroom'],
      ['button', 'Override'],
      ['see', 'This result was overridden'],
    ],
  },
  {
    name: 'Copy a launch link',
    clicks: 3,
    steps: [...search('hal help'), ['option', /^Fire safety/], ['button', 'Copy launch link']],
  },
  {
    name: 'See what happened in an enrolment',
    clicks: 2,
    steps: [...search('sue start'), ['option', /^Fire safety/], ['see', 'Timeline'], ['see', 'Enrolled']],
  },
  {
    name: 'See the completion of each course by group',
    clicks: 3,
    steps: [
      ['link', 'Reports'],
      ['choose', 'Report by', 'course_and_group'],
      ['see', 'Drivers'],
    ],
  },
  {
    name: 'Export all enrolments',
    clicks: 2,
    steps: [
      ['link', 'Enrolments'],
      ['button', 'Export as CSV'],
    ],
  },
  {
    name: 'Create an API key',
    clicks: 3,
    steps: [
      ['point', 'Connections'],
      ['link', 'Create API key'],
      ['fill', 'Name', 'Shop'],
      ['checkbox', /^Read users/],
      ['button', 'Create key'],
      ['see', /won’t be able to see/],
    ],
  },
  {
    name: 'Add a webhook',
    clicks: 3,
    steps: [
      ['point', 'Connections'],
      ['link', 'Webhooks'],
      ['button', 'Add endpoint'],
      ['fill', 'URL', 'https://203.0.114.7/hook'],
      ['button', 'Add endpoint'],
      ['see', /secret/i],
    ],
  },
  {
    name: 'Read who changed what',
    clicks: 1,
    steps: [
      ['point', 'Log'],
      ['link', 'Audit trail'],
      ['see', 'Actor'],
    ],
  },
  {
    name: 'Read the latest events',
    clicks: 1,
    steps: [
      ['link', 'Log'],
      ['see', 'Enrolment'],
    ],
  },
  {
    name: 'See the enrolment keys',
    clicks: 1,
    steps: [
      ['point', 'Enrol'],
      ['link', 'Enrolment keys'],
      ['see', 'Fire safety'],
    ],
  },
  {
    name: 'See which emails were delivered',
    clicks: 1,
    steps: [
      ['point', 'People'],
      ['link', 'Emails'],
      ['see', 'Emails'],
    ],
  },
  {
    name: 'Preview a course',
    clicks: 3,
    who: 'operator',
    steps: [
      ['link', 'Courses'],
      ['link', 'Spot the phish'],
      ['button', 'Preview'],
    ],
  },
  {
    name: 'Import and publish a course',
    clicks: 5,
    who: 'operator',
    steps: [
      ['link', 'Courses'],
      ['file', 'Choose files', 'course'],
      ['button', /^Import/],
      ['button', 'Publish 1 course'],
      ['see', /published/],
    ],
  },
  {
    name: 'Make a PDF a course',
    clicks: 5,
    who: 'operator',
    steps: [
      ['link', 'Courses'],
      ['file', 'Choose files', 'document'],
      ['button', /^Import/],
      ['button', 'Publish 1 course'],
      ['see', /published/],
    ],
  },
  {
    name: 'Replace a typo in a course',
    clicks: 7,
    who: 'operator',
    steps: [
      ['link', 'Courses'],
      ['link', 'Spot the phish'],
      ['tab', 'Releases'],
      ['file', 'Choose file', 'course'],
      ['button', 'Set as current'],
      ['see', 'Set release 2 as current?'],
      ['button', 'Set as current'],
      ['see', /^Release 2 is (now )?current/],
    ],
  },
]);
