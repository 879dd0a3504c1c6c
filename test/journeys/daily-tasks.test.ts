import { search, testTasks } from './everyday-tasks.ts';

/** What administrators do most often. `other-tasks.test.ts` has the rest. */
testTasks([
  {
    name: 'Find a person',
    clicks: 2,
    steps: [...search('eva exp'), ['press', 'Enter'], ['see', 'Registered']],
  },
  {
    name: 'Find out why someone cannot start, and extend the access',
    clicks: 3,
    steps: [
      ...search('eva exp'),
      ['option', /^Working on ladders/],
      ['button', 'Extend by 30 days'],
      ['see', 'Eva Expired can start'],
    ],
  },
  {
    name: 'Enrol a person',
    clicks: 5,
    steps: [
      ...search('enrol jo jump'),
      ['press', 'Enter'],
      ['fill', 'Courses', 'fire'],
      ['option', /^Fire safety/],
      ['button', 'Enrol'],
      ['see', 'Jo Jump can start'],
    ],
  },
  {
    name: 'Enrol a group until a date',
    clicks: 8,
    steps: [
      ['point', 'Enrol'],
      ['link', 'Enrol a group'],
      ['fill', 'Group', 'Sales'],
      ['option', 'Sales'],
      ['fill', 'Courses', 'fire'],
      ['option', /^Fire safety/],
      ['fill', 'Access ends', '2090-05-04'],
      ['button', 'Show the plan'],
      ['button', /^Apply to 12/],
      ['see', /^Finished/],
    ],
  },
  {
    name: 'Invite 400 people',
    clicks: 8,
    steps: [
      ['link', 'People'],
      ['fill', 'Group', 'Ware'],
      ['option', 'Warehouse'],
      ['checkbox', 'Select all rows shown'],
      ['button', 'Select all 400 matching'],
      ['button', 'Invite 400 users'],
      ['button', 'Create 400 links'],
      ['see', 'Download as CSV'],
      ['button', 'Done'],
    ],
  },
  {
    name: 'Send a link for a new password',
    clicks: 4,
    steps: [
      ...search('invite hal help'),
      ['press', 'Enter'],
      ['button', 'Create link'],
      ['see', 'Copy link'],
      ['button', 'Done'],
    ],
  },
  {
    name: 'List who failed',
    clicks: 2,
    steps: [...search('failed'), ['press', 'Enter'], ['see', 'Fay Failed']],
  },
  {
    name: 'Extend all access that ends this week',
    clicks: 4,
    steps: [
      ['link', /^Show enrolments/],
      ['checkbox', 'Select all rows shown'],
      ['button', 'Change access'],
      ['button', /^Extend/],
      ['see', '8 changed'],
    ],
  },
  {
    name: 'Import a messy list of people',
    clicks: 5,
    steps: [
      ['point', 'Enrol'],
      ['link', 'Import a file'],
      ['file', 'Choose file', 'people'],
      ['button', 'Show the plan'],
      ['button', 'Apply to 496 rows'],
      ['see', /496 created and 5 refused/],
    ],
  },
  {
    name: 'Undo the import',
    clicks: 3,
    steps: [
      ['link', 'Enrol'],
      ['button', 'Undo: messy-staff.csv'],
      ['button', 'Undo'],
      ['see', /^496 people removed/],
    ],
  },
]);
