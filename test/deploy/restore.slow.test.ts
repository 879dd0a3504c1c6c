import { testRestore } from './restore-recipe.ts';

testRestore('lectern.service');
testRestore('lectern.service with the embedded database');
testRestore('compose-nodes.yaml');
