export { askRun } from './ask';
export { cancelRun } from './cancel';
export { confirmRun } from './confirm';
export { runQuestions } from './questions';
export { retryRun } from './retry';
