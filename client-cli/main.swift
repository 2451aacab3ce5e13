// The door of the program: reads the words, runs the verb, and says how it went.

let code = await Door.open(Array(CommandLine.arguments.dropFirst()))
Door.leave(code)
