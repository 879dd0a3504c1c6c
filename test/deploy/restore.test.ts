import { testRestore } from './restore-recipe.ts';

testRestore('compose.yaml');
