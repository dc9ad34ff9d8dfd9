// files.js: what is done with the files of the servers.
//
// Files of another user are touched by child processes of this user alone, never with root's
// rights: a link that this user has put in the place of a file would lead to files of others.
"use strict";

const fs = require("node:fs");

// Of the user of this process.
const ownFiles = {
  read: async (file, from) => (await fs.promises.readFile(file)).subarray(from).toString(),
  size: async (file) => (await fs.promises.stat(file)).size,
  write: (file, text) => fs.promises.writeFile(file, text),
  append: (file, text) => fs.promises.appendFile(file, text),
  makeDirectory: (file) => fs.promises.mkdir(file, { mode: 0o700 }),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (file) => fs.promises.rm(file, { recursive: true, force: true }),
};

// Of another one, by a function that runs a program as this user and returns its output.
function filesOf(run) {
  const shell = (command, args, input) => run("/bin/sh", ["-c", command, "dynamo-local", ...args], input);

  return {
    read: (file, from) => run("tail", ["-c", `+${from + 1}`, file]),
    size: async (file) => Number(await shell('wc -c <"$1"', [file])),
    write: (file, text) => shell('cat >"$1"', [file], text),
    append: (file, text) => shell('cat >>"$1"', [file], text),
    makeDirectory: (file) => run("mkdir", ["-m", "700", file]),
    rename: (from, to) => shell('[ ! -e "$2" ] && mv "$1" "$2"', [from, to]),
    remove: (file) => run("rm", ["-rf", file]),
  };
}

module.exports = { filesOf, ownFiles };
