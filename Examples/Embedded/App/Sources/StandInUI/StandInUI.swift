/// The names that an app gets from SwiftUI, so that a build on Linux shows whether any of them is
/// ambiguous beside `import Macrolog`. Drawing is to print lines.
public protocol View {
    /// What it shows.
    var lines: [String] { get }
}

/// A line of text.
public struct Text: View {
    /// The text.
    public let lines: [String]

    /// Shows a text.
    public init(_ text: String) { lines = [text] }
}

/// A view without text.
public protocol Shape: View {}

/// A line across the screen.
public struct Rectangle: Shape {
    /// The line.
    public let lines = ["----"]

    /// Makes one.
    public init() {}
}

/// A value that a view owns.
@propertyWrapper public struct State<Value> {
    /// The value.
    public var wrappedValue: Value

    /// Begins with a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// The value for another view.
    public var projectedValue: Binding<Value> { Binding(of: wrappedValue) }
}

/// A value that another view owns.
@propertyWrapper public struct Binding<Value> {
    /// The value.
    public var wrappedValue: Value

    /// The value as it is now.
    public init(of value: Value) { wrappedValue = value }
}
