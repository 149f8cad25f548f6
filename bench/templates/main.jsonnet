local training = import 'training.libsonnet';
std.flattenArrays([[training.service(j), training.job(j)] for j in import 'jobs.json'])
