import type { FileIndex } from './launch-path.ts';

/**
 * How the launch of an xAPI package names the learner. `lists` is the form of the drafts before 1.0, with `name` and
 * `account` as lists.
 */
export type ActorForm = 'agent' | 'lists';

type AuthoringTool = {
  name: string;
  /** Files that only packages of this tool contain. Any of them is enough. */
  files: readonly string[];
  actor: ActorForm;
  /** Why the launch differs, for the person who imports the package. */
  note?: string;
};

/**
 * The tools whose packages are recognised, with what their launch needs. Packages of unknown tools are launched as the
 * standard says.
 */
const tools: readonly AuthoringTool[] = [
  {
    name: 'Lectora',
    files: ['trivantis.js'],
    // Seen in Inspire 16.2.2 and Online 3.0.2: the script repeats an actor that it cannot parse in every call.
    actor: 'lists',
    note: 'Lectora reads the learner only in the form of Tin Can 0.9, so the launch names the learner in that form',
  },
  { name: 'Articulate Rise', files: ['scormcontent/index.html'], actor: 'agent' },
  { name: 'Articulate Storyline', files: ['story.html', 'story_html5.html'], actor: 'agent' },
  { name: 'Adobe Captivate', files: ['assets/js/CPM.js'], actor: 'agent' },
  { name: 'iSpring', files: ['res/data/player.js', 'data/player.js'], actor: 'agent' },
  { name: 'Adapt', files: ['adapt/js/adapt.min.js'], actor: 'agent' },
  { name: 'H5P', files: ['h5p.json'], actor: 'agent' },
];

/** The tool that made a package; null if it is unknown. */
export function authoringToolOf(files: FileIndex): AuthoringTool | null {
  return tools.find((tool) => tool.files.some((name) => files.find(name) !== null)) ?? null;
}

/** The learner of a launch, in the form that the package's tool reads. */
export function launchActor(tool: string | undefined, account: { homePage: string; name: string }): object {
  const isLists = tools.find(({ name }) => name === tool)?.actor === 'lists';
  if (!isLists) return { objectType: 'Agent', account };
  const { homePage, name } = account;
  return {
    objectType: 'Agent',
    name: [name],
    account: [{ accountServiceHomePage: homePage, accountName: name }],
  };
}
