export { type Appended, appendEvents, shardOf } from './append-events';
export { applySource } from './apply-source';
