export { askShadowReads } from './ask';
export { endReport } from './end';
export { readDue, readInShadow } from './read';
export { reportSchema, type SaveReport, saveReport } from './save';
