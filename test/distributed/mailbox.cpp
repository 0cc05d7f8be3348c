// What waits at a mailbox: what it asks for is taken once.
#include <atomic>

#include <boost/test/unit_test.hpp>

#include <reel/distributed/detail/mailbox.hpp>

using namespace reel::distributed::detail;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(mailbox)

BOOST_AUTO_TEST_CASE(a_message_that_comes_after_a_long_wait_is_taken_once) {
    Mailbox box(2);
    box.set_pump([] { return false; });
    // however long the wait was: while others spin, and after
    for (const int turns : {0, 1, 299, 300, 301, 302, 303, 1000}) {
        int asked = 0, taken = 0;
        const bool came = box.wait_until(deadline_after(30s), [&] {
            taken += asked >= turns;
            return asked++ >= turns;
        });
        BOOST_TEST(came);
        BOOST_TEST(taken == 1, turns << " turns: taken " << taken << " times");
    }
}

BOOST_AUTO_TEST_CASE(messages_of_another_thread_come_in_their_order) {
    Mailbox box(2);
    const Mailbox::Key key{0, 1, Envelope::no_tag};
    std::atomic<int> next = 0;
    box.set_pump([&] { // one at a time, each after more turns than a waiting thread spins
        static thread_local int turns = 0;
        if (++turns % 400 != 0) return false;
        Message message;
        message.envelope.call = next++;
        box.deliver(1, std::move(message));
        return true;
    });
    for (int i = 0; i < 20; ++i) {
        Message message;
        std::int64_t gone = -1;
        BOOST_TEST((box.take(key, {1}, deadline_after(30s), message, gone) == Mailbox::Wait::kCame));
        BOOST_TEST(message.envelope.call == i);
    }
}

BOOST_AUTO_TEST_CASE(a_wait_ends_at_its_deadline) {
    Mailbox box(1);
    box.set_pump([] { return false; });
    BOOST_TEST(!box.wait_until(deadline_after(5ms), [] { return false; }));
}

BOOST_AUTO_TEST_SUITE_END()
