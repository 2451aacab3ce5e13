import MacrologSystem
import Testing

/// Goal: a library that is not there is an error with a next step, and no crash.
@Suite struct LibraryTests {
    @Test func `a missing library names the package that installs it`() {
        let error = #expect(throws: LibraryError.self) {
            _ = try Library.open("libmacrolog-none.so.7", package: "libnone7")
        }
        #expect(error?.explanation.contains("libmacrolog-none.so.7") == true)
        #expect(error?.hint == "install it: sudo apt-get install libnone7")
    }

    #if os(Linux)
        @Test func `a function of a library can be called, and a missing one is an error`() throws {
            let library = try Library.open("libm.so.6", package: "libc6")
            let root: @convention(c) (Double) -> Double = try library.function("sqrt")
            #expect(root(9) == 3)
            #expect(throws: LibraryError.self) {
                let _: @convention(c) () -> Void = try library.function("macrolog_none")
            }
        }
    #endif
}
